"""Install releases of ICD-10-CM into the user's data folder, and find what is installed.

A release is a folder by its fiscal year, with one file a part and `release.json`, which records
what each is and where it came from.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auscult.codes.home import data_home
from auscult.codes.releases.archive import documents
from auscult.codes.releases.parts import Examined, PartKind, ReleasePart, examine, is_part
from auscult.core import FormatError, xml
from auscult.core.digests import file_digest
from auscult.core.storage import finish_interrupted, locate, publish

SYSTEM = "ICD-10-CM"
INSTALLED = "installed"
PACKAGE = "simple-icd-10-cm"
_RECORD = "release.json"
_NOTICED = 1.0
"""Seconds after which what another process installed is looked for."""
_changed: dict[Path, tuple[float, int]] = {}
"""For each data folder when it was last looked at, and what `releases_changed` said then."""


def add_release(path: Path) -> tuple[ReleasePart, ...]:
    """Check and install the parts of a release: one XML file, or a zip of several.

    All parts must be of one fiscal year. A part of a kind and year that is installed already is
    replaced.
    """
    found: dict[PartKind, tuple[Examined, str, bytes]] = {}
    for name, raw in documents(path):
        alone = name == path.name
        shown = path if alone else Path(f"{path}/{name}")
        root = xml.parse_bytes(raw, shown)
        if not alone and not is_part(root):
            continue  # a zip also has files that are about the others
        examined = examine(root, shown)
        if examined.kind in found:
            raise FormatError(
                f"expected one {examined.kind.heading}, got two "
                f"({found[examined.kind][1]}, {name}); pass one of them",
                path,
            )
        found[examined.kind] = (examined, name, raw)
    if not found:
        raise FormatError(
            "expected the XML files of an ICD-10-CM release, got none; pass the zip of tables and "
            "index that CDC publishes, or one of its XML files",
            path,
        )
    years = sorted({examined.year for examined, _, _ in found.values()})
    if len(years) > 1:
        raise FormatError(
            f"expected the files of one release, got those of {' and '.join(years)}; pass each "
            "release by itself",
            path,
        )
    return _install(years[0], found)


def installed() -> tuple[ReleasePart, ...]:
    """The parts that the user has installed, oldest release first."""
    base = data_home() / "codes" / SYSTEM
    folders = sorted(folder for folder in base.glob("2*") if folder.is_dir())
    return tuple(part for folder in folders for part in _recorded(folder))


def releases_changed() -> int:
    """A number that is another after a release was added or replaced.

    What another process adds is noticed within a second: the number is asked for with every look at
    a table, and the file system is slower than the tables are.
    """
    home, now = data_home(), time.monotonic()
    known = _changed.get(home)
    if known is None or now - known[0] > _NOTICED:
        base = home / "codes" / SYSTEM
        places = [base, *base.glob("2*/*")]
        newest_of = max((p.stat().st_mtime_ns for p in places if p.exists()), default=0)
        known = _changed[home] = now, newest_of
    return known[1]


def packaged() -> ReleasePart | None:
    """The Tabular List that comes with the package simple-icd-10-cm.

    The package is not imported, since it parses its file on import, which takes seconds.
    """
    spec = find_spec("simple_icd_10_cm")
    if spec is None or not spec.submodule_search_locations:
        return None
    files = sorted(Path(spec.submodule_search_locations[0], "data").glob("icd10c*tabular*.xml"))
    if not files:
        return None
    year = _year_in(files[-1])
    return ReleasePart(
        PartKind.TABULAR, year, _digest(files[-1], files[-1].stat().st_mtime_ns), files[-1].name,
        files[-1], PACKAGE, {},
    )  # fmt: skip


@lru_cache(maxsize=2)
def _digest(file: Path, changed: int) -> str:  # noqa: ARG001 - the key of the cache
    return file_digest(file)


def newest(kind: PartKind, parts: Iterable[ReleasePart] | None = None) -> ReleasePart | None:
    """The part of a kind that everything uses: that of the newest release.

    Of one year, what the user installed comes before what comes with a package.
    """
    if parts is None:
        package = packaged() if kind is PartKind.TABULAR else None
        parts = [*([] if package is None else [package]), *installed()]
    of_kind = [part for part in parts if part.kind is kind]
    return max(of_kind, key=lambda part: (part.year, part.origin == INSTALLED), default=None)


def _install(
    year: str, found: dict[PartKind, tuple[Examined, str, bytes]]
) -> tuple[ReleasePart, ...]:
    folder = data_home() / "codes" / SYSTEM / year
    record: dict[str, Any] = {
        kind.value: {
            "digest": hashlib.sha256(raw).hexdigest(),
            "file_name": name,
            "counts": dict(examined.counts),
        }
        for kind, (examined, name, raw) in sorted(found.items())
    }

    def fill(draft: Path) -> None:
        kept = {part.kind: part for part in _recorded(folder) if part.kind not in found}
        before = _read_record(folder)
        for kind, part in kept.items():
            shutil.copyfile(part.path, draft / _file_name(kind))
        for kind, (_, _, raw) in found.items():
            (draft / _file_name(kind)).write_bytes(raw)
        parts = {**{kind.value: before[kind.value] for kind in kept}, **record}
        text = json.dumps({"system": SYSTEM, "year": year, "parts": parts}, indent=2)
        (draft / _RECORD).write_text(text + "\n", encoding="utf-8")

    publish(folder, fill, alone=folder.is_dir())
    _changed.pop(data_home(), None)
    return tuple(part for part in _recorded(folder) if part.kind in found)


def _recorded(folder: Path) -> tuple[ReleasePart, ...]:
    """The parts in a release's folder, in the order of the book."""
    parts = _read_record(folder)
    return tuple(
        ReleasePart(
            kind,
            folder.name,
            parts[kind.value]["digest"],
            parts[kind.value]["file_name"],
            locate(folder, _file_name(kind)),
            INSTALLED,
            parts[kind.value]["counts"],
        )
        for kind in PartKind
        if kind.value in parts
    )


def _read_record(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        return {}
    try:
        finish_interrupted(folder)
        text = locate(folder, _RECORD).read_text(encoding="utf-8")
        parts: dict[str, Any] = json.loads(text)["parts"]
    except FileNotFoundError:
        return {}  # a folder that nothing was installed into
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(
            f"expected the record of an installed release, got something else; remove {folder} "
            "and add the release again",
            folder / _RECORD,
        ) from error
    return parts


def _file_name(kind: PartKind) -> str:
    return f"{kind.value}.xml"


def _year_in(path: Path) -> str:
    """The year in the first lines of a file, without parsing ten megabytes."""
    with path.open("rb") as handle:
        head = handle.read(400)
    _, _, after = head.partition(b"<version>")
    return after.partition(b"</version>")[0].decode("ascii", "replace").strip()
