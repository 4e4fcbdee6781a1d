"""Loading UIMA CAS files through dkpro-cassis, with every offset checked."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auscult.core import FormatError, MissingExtraError, xml
from auscult.core.files import read_bytes, read_text

if TYPE_CHECKING:
    from cassis import Cas, TypeSystem

TYPE_SYSTEM = "TypeSystem.xml"
_POSITION = ("begin", "end", "sofa")


def import_cassis() -> Any:
    """The library, or an error that says how to install it."""
    try:
        import cassis
    except ImportError as error:
        raise MissingExtraError("UIMA CAS", "cas") from error
    return cassis


def load(cassis: Any, path: Path, source: Path, type_systems: dict[Path, TypeSystem]) -> Cas:
    """A file as a CAS, its offsets turned into code points and every one of them checked."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if path.suffix == ".json":
                cas = cassis.load_cas_from_json(read_text(path))
            else:
                type_system = _find_type_system(cassis, path, source, type_systems)
                xml.parse(path)  # refuses entities, and names the line of what is not XML
                cas = cassis.load_cas_from_xmi(io.BytesIO(read_bytes(path)), type_system)
        except FormatError:
            raise
        except json.JSONDecodeError as error:
            raise FormatError(f"is not JSON: {error.msg}", path, error.lineno) from None
        except cassis.typesystem.TypeNotFoundError as error:
            raise FormatError(
                f"has a type that {TYPE_SYSTEM} does not declare; it may belong to another export",
                path,
            ) from error
        except Exception as error:  # cassis lets through whatever its parsers meet
            raise FormatError(
                f"is not a UIMA CAS, or is damaged ({type(error).__name__})", path
            ) from None
    if any("Not mapping" in str(warning.message) for warning in caught):
        # cassis would take such an offset for a code point and go on
        raise FormatError(
            "an annotation begins or ends past the text or in the middle of a character. "
            "Offsets of a CAS count UTF-16 units",
            path,
        )
    return cas


def _find_type_system(
    cassis: Any, path: Path, source: Path, known: dict[Path, TypeSystem]
) -> TypeSystem:
    """The type system beside a file, or in a folder above it up to the source."""
    for folder in path.parents:
        file = folder / TYPE_SYSTEM
        if file.is_file():
            if file not in known:
                xml.parse(file)
                try:
                    known[file] = cassis.load_typesystem(file)
                except Exception as error:  # as above
                    raise FormatError(
                        f"is not a UIMA type system, or is damaged ({type(error).__name__})", file
                    ) from None
            return known[file]
        if folder == source or path == source:
            break
    raise FormatError(f"XMI needs its type system; put {TYPE_SYSTEM} in the same folder", path)


def view_of(cas: Cas) -> Cas:
    """The view with the note's text: the initial one, or the first that has any."""
    names = [view.sofa.sofaID for view in cas.views if view.sofa.sofaString is not None]
    return cas.get_view("_InitialView" if "_InitialView" in names or not names else names[0])


def single_structure(view: Cas, kind: str) -> dict[str, str]:
    """The features of the one feature structure of a type; none when there is none."""
    if not view.typesystem.contains_type(kind, match_exactly=True):
        return {}
    first = next(iter(view.select(kind)), None)
    return {} if first is None else values_of(first)


def feature_names(kind: Any) -> list[str]:
    """The features of a type, apart from where it is."""
    # cassis writes an underscore after the two names that Python reserves
    names = (feature.name for feature in kind.all_features)
    return [
        name.removesuffix("_") if name in ("self_", "type_") else name
        for name in names
        if name not in _POSITION
    ]


def values_of(fs: Any) -> dict[str, str]:
    """The features that are one string, number or truth value; references are not."""
    values = {}
    for name in feature_names(fs.type):
        value = fs.get(f"{name}_" if name in ("self", "type") else name)
        if isinstance(value, bool):
            values[name] = str(value).lower()
        elif isinstance(value, str | int | float):
            values[name] = str(value)
    return values
