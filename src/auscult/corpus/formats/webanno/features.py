"""Between an annotation and the named features of a span, as WebAnno TSV and UIMA CAS have them.

Ours have `annotator`, `system`, `code`, `score`, `meta` (JSON) and, where an annotation has
several spans, `part`: `2.1` is the first span of the second such annotation. Others have what
their makers called it, so a reader is told, or guesses, which feature holds the code and which
its system. Whatever else is there goes into the annotation's meta.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import Field

from auscult.core import Annotation, Code, FormatError, Note, Span
from auscult.corpus.formats.contract import FormatOptions

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
ANNOTATOR, CODE, META, PART, SCORE, SYSTEM = FEATURES = (
    "annotator",
    "code",
    "meta",
    "part",
    "score",
    "system",
)
_CODE_NAMES = (CODE, "identifier", "value")
_PART = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")


class FeatureOptions(FormatOptions):
    """What the features of an annotation mean."""

    code_feature: str | None = Field(
        None, description="Feature with the code.  [default: code, identifier or value]"
    )
    system_feature: str | None = Field(
        None,
        description="Feature with the code system.  [default: system, or value with identifier]",
    )
    system: str | None = Field(
        None,
        description="Code system of codes that do not name theirs.  [default: name of the layer "
        "or type]",
    )
    annotator: str = Field("gold", description="Annotator name of the new annotations.")


@dataclass(frozen=True, slots=True)
class Naming:
    """Which features of a layer say what, and what holds where they are silent."""

    code: str
    system: str | None
    default_system: str
    annotator: str


@dataclass(frozen=True, slots=True)
class WebannoSpan:
    """A span with its features, as a file has it."""

    span: Span | None
    values: Mapping[str, str | None] = field(repr=False)


def naming(
    layer: str,
    features: Sequence[str],
    *,
    code_feature: str | None,
    system_feature: str | None,
    system: str | None,
    annotator: str,
    file: Path,
) -> Naming:
    """Which features of a layer hold the code and its system; an error when that is unclear."""
    for asked in (code_feature, system_feature):
        if asked is not None and asked not in features:
            raise FormatError(
                f"layer {layer} has no feature {asked}; it has {_listed(features)}", file
            )
    guesses = [name for name in _CODE_NAMES if name in features]
    code = code_feature or next(iter(guesses), features[0] if len(features) == 1 else None)
    if code is None:
        raise FormatError(
            f"which feature of layer {layer} is the code? It has {_listed(features)}; pass "
            "--code-feature",
            file,
        )
    if system_feature is None and SYSTEM in features and code != SYSTEM:
        system_feature = SYSTEM
    elif system_feature is None and code == "identifier" and "value" in features:
        system_feature = "value"
    return Naming(code, system_feature, system or layer.rpartition(".")[2], annotator)


def features_of(annotation: Annotation) -> dict[str, str]:
    """What an annotation says, apart from where."""
    values = {
        ANNOTATOR: annotation.annotator,
        SYSTEM: annotation.code.system,
        CODE: annotation.code.value,
    }
    if annotation.score is not None:
        values[SCORE] = repr(annotation.score)
    if annotation.meta:
        values[META] = dump_meta(annotation.meta)
    return values


def parts_of(
    annotations: Iterable[Annotation],
) -> list[tuple[Span, dict[str, str]]]:
    """The spans of annotations, each with its features."""
    found = []
    discontinuous = 0
    for annotation in annotations:
        values = features_of(annotation)
        if len(annotation.spans) > 1:
            discontinuous += 1
        for number, span in enumerate(annotation.spans, 1):
            several = {PART: f"{discontinuous}.{number}"} if len(annotation.spans) > 1 else {}
            found.append((span, values | several))
    return found


def annotations_of(
    found: Iterable[WebannoSpan], note: Note, naming: Naming
) -> tuple[list[Annotation], int]:
    """The annotations that spans with features make, and how many of the spans have no code."""
    annotations: list[Annotation] = []
    discontinuous: dict[tuple[str, Annotation], list[tuple[int, Span]]] = {}
    nameless = 0
    for item in found:
        values = {name: value for name, value in item.values.items() if value is not None}
        code = _take_code(values, naming)
        if code is None:
            nameless += 1
            continue
        annotator = values.pop(ANNOTATOR, naming.annotator)
        score, part = _take_score(values), _take_part(values)
        said = Annotation(
            annotator,
            code,
            note.chart_id,
            note.note_id,
            score=score,
            meta=_take_meta(values),
        )
        if item.span is None:
            annotations.append(said)
        elif part is None:
            annotations.append(replace(said, spans=(item.span,)))
        else:
            discontinuous.setdefault((part[0], said), []).append((part[1], item.span))
    for (_, said), parts in discontinuous.items():
        annotations.append(replace(said, spans=tuple(span for _, span in sorted(parts))))
    return annotations, nameless


def dump_meta(meta: Mapping[str, str]) -> str:
    """Meta as JSON."""
    return json.dumps(dict(meta), ensure_ascii=False, sort_keys=True)


def load_meta(value: str | None) -> dict[str, str] | None:
    """The meta that `dump_meta` made; None when it is not that."""
    try:
        loaded = json.loads(value or "{}")
    except (ValueError, RecursionError):
        return None
    if isinstance(loaded, dict) and all(isinstance(text, str) for text in loaded.values()):
        return loaded
    return None


def _take_code(values: dict[str, str], naming: Naming) -> Code | None:
    value = values.pop(naming.code, "")
    system = values.pop(naming.system, "") if naming.system else ""
    if not value and naming.code == "identifier":
        # An entity that is linked to nothing still has its kind.
        value, system = system, ""
    return Code(system or naming.default_system, value) if value else None


def _take_score(values: dict[str, str]) -> float | None:
    try:
        score = float(values.get(SCORE, ""))
    except ValueError:
        return None
    del values[SCORE]
    return score


def _take_part(values: dict[str, str]) -> tuple[str, int] | None:
    part = _PART.fullmatch(values.get(PART, ""))
    if part is None:
        return None
    del values[PART]
    return part[1], int(part[2])


def _take_meta(values: dict[str, str]) -> dict[str, str]:
    ours = load_meta(values.get(META))
    if ours is None:
        return values
    values.pop(META, None)
    return values | ours


def _listed(features: Sequence[str]) -> str:
    return ", ".join(features) if any(features) else "none"
