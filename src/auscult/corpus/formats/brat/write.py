"""A note's annotations as the lines of a brat .ann file."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from auscult.core import Annotation, Code, Note
from auscult.corpus.formats.brat import lines as brat_lines
from auscult.corpus.formats.brat.lines import is_word, one_line, own_id
from auscult.corpus.formats.contract import Losses
from auscult.corpus.formats.shared import quotes

OURS = "Auscult"
"""The type of the comments that store what brat has no field for."""
RELATIONS = "relations"
"""The note's meta key that stores lines about several annotations or about other lines."""
ATTRIBUTE = "attribute:"
"""The prefix of an attribute's meta key."""
REMARK = "note:"
"""The prefix of a comment's meta key."""

_DEFAULT_ANNOTATOR = "gold"
_UNQUOTABLE = re.compile(r"[\t\n\r\0]")


def default_type(system: str) -> str:
    """The type of an annotation whose code is in a reference: its code system.

    >>> default_type("SNOMED CT")
    'SNOMED_CT'
    """
    return re.sub(r"[^\w-]", "_", system)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where each thing an annotation says goes."""

    annotation: Annotation
    type: str
    reference: tuple[str, str] | None
    quote: str = field(repr=False)
    # Attribute and remark lines: what is before and after its id.
    about: tuple[tuple[str, str], ...] = field(repr=False)
    ours: dict[str, object] = field(repr=False)

    def alike(self, other: _Plan) -> bool:
        """Whether two differ in their references only, so that one text-bound line holds both."""
        return (
            self.annotation.spans == other.annotation.spans
            and self.type == other.type
            and self.quote == other.quote
            and self.about == other.about
            and self.reference is not None
            and other.reference is not None
            and not self.ours
            and not other.ours
        )


def lines(
    note: Note,
    text: str | None,
    annotations: Sequence[Annotation],
    system: str,
    losses: Losses,
) -> Iterator[str]:
    """The lines of a note's .ann file."""
    spanned = [annotation for annotation in annotations if annotation.spans]
    losses.add(
        "annotations", "annotations without spans", "left out", len(annotations) - len(spanned)
    )
    others = _others(note, {a.meta["id"] for a in spanned if "id" in a.meta}, losses)
    groups = _groups(spanned, text, system, brat_lines.referred(others))
    taken = {own_id(line) for line in others} | {id_ for id_, _ in groups if id_}
    counts: Counter[str] = Counter()

    def new(kind: str) -> str:
        counts[kind] += 1
        while f"{kind}{counts[kind]}" in taken:
            counts[kind] += 1
        return f"{kind}{counts[kind]}"

    for id_, plans in groups:
        first, own = plans[0], id_ or new("T")
        ranges = ";".join(f"{span.begin} {span.end}" for span in first.annotation.spans)
        yield f"{own}\t{first.type} {ranges}\t{first.quote}"
        for plan in plans:
            if plan.reference is not None:
                reference, title = plan.reference
                yield f"{new('N')}\tReference {own} {reference}\t{title}"
        for before, after in first.about:
            kind, name = before[0], before[1:]
            yield f"{new(kind)}\t{name} {own}{after}"
        if first.ours:
            said = json.dumps(first.ours, ensure_ascii=False, sort_keys=True)
            yield f"{new('#')}\t{OURS} {own}\t{said}"
    yield from others


def _others(note: Note, ids: set[str], losses: Losses) -> list[str]:
    """The lines the note keeps, but those about annotations that are gone."""
    kept = note.meta.get(RELATIONS)
    if kept is None:
        return []
    candidates = [line for line in kept.split("\n") if brat_lines.is_other(line)]
    # a line about one annotation alone would be read as that annotation's own
    candidates = [x for x in candidates if x[0] in "RE*" or not brat_lines.refers_to(x) & ids]
    sound = brat_lines.supported(candidates, {i for i in ids if re.fullmatch(r"T\S+", i)})
    if "\n".join(sound) != kept:
        gone = max(1, kept.count("\n") + 1 - len(sound))
        losses.add(
            "notes.meta",
            "relations in a note's meta",
            "left out, because the annotations they refer to were left out",
            gone,
        )
    return sound


def _groups(
    annotations: Sequence[Annotation], text: str | None, system: str, referred: set[str]
) -> list[tuple[str | None, list[_Plan]]]:
    """The annotations by text-bound line, with the line's id where that matters."""
    by_id: defaultdict[str, list[Annotation]] = defaultdict(list)
    for annotation in annotations:
        if re.fullmatch(r"T\S+", annotation.meta.get("id", "")) and one_line(annotation.meta["id"]):
            by_id[annotation.meta["id"]].append(annotation)
    groups: list[tuple[str | None, list[_Plan]]] = []
    grouped: set[int] = set()
    for id_, members in by_id.items():
        plans = [_plan(_without_id(member), text, system) for member in members]
        together = [plan for plan in plans if plan.alike(plans[0])]
        if len(together) == len(plans) > 1:
            groups.append((id_, plans))
            grouped.update(map(id, members))
        elif id_ in referred:
            groups.append((id_, plans[:1]))
            grouped.add(id(members[0]))
    groups += [(None, [_plan(a, text, system)]) for a in annotations if id(a) not in grouped]
    return groups


def _without_id(annotation: Annotation) -> Annotation:
    return replace(annotation, meta={k: v for k, v in annotation.meta.items() if k != "id"})


def _plan(annotation: Annotation, text: str | None, system: str) -> _Plan:
    meta = dict(annotation.meta)
    ours: dict[str, object] = {}
    if annotation.annotator != _DEFAULT_ANNOTATOR:
        ours["annotator"] = annotation.annotator
    if annotation.score is not None:
        ours["score"] = annotation.score
    code, reference = annotation.code, None
    if code.system == system and is_word(code.value):
        type_ = code.value
    else:
        type_ = default_type(code.system)
        if is_word(meta.get("type", "")) and meta["type"] != type_:
            type_ = meta.pop("type")
        if _is_reference(code):
            title = meta.get("reference", "")
            title = meta.pop("reference", "") if one_line(title) and title else ""
            reference = (f"{code.system}:{code.value}", title)
        else:
            ours |= {"system": code.system, "code": code.value}
    quote = quotes.covered(text, annotation.spans) if text is not None else ""
    said = meta.get(quotes.QUOTE, "")
    if quotes.QUOTE in meta and said != quote and not _UNQUOTABLE.search(said):
        quote = meta.pop(quotes.QUOTE)
    about = tuple(_about(meta))
    if meta:
        ours["meta"] = meta
    return _Plan(annotation, type_, reference, quote, about, ours)


def _about(meta: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Take what brat has lines for out of an annotation's meta."""
    for key in sorted(meta):
        value = meta[key]
        if not one_line(value.replace("\n", "")):
            continue
        if key.startswith(ATTRIBUTE) and is_word(name := key.removeprefix(ATTRIBUTE)):
            del meta[key]
            yield from ((f"A{name}", f" {part}" if part else "") for part in value.split("\n"))
        elif key.startswith(REMARK) and is_word(name := key.removeprefix(REMARK)) and name != OURS:
            del meta[key]
            yield from ((f"#{name}", f"\t{part}") for part in value.split("\n"))


def _is_reference(code: Code) -> bool:
    return is_word(code.system) and ":" not in code.system and is_word(code.value)
