"""Checks of the guidelines for marking concepts (Agrawal and others 2020, appendix C).

They are about corpora in which every medical concept of a note is marked, spans inside spans too;
`docs/guidelines-concepts.md` has the guidelines in words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from auscult.codes import CUI_LESS
from auscult.core import Annotation, Note, Span
from auscult.core.progress import track
from auscult.core.span import extent
from auscult.corpus.corpus import Corpus
from auscult.corpus.doctor.finding import Finding, Severity

_NEGATIONS = frozenset(
    (
        "no", "not", "non", "nor", "none", "never", "without", "w/o", "denies", "denied", "deny",
        "denying", "negative", "negative for", "absent", "absence", "absence of", "free of",
        "rules out", "ruled out", "rule out", "no evidence of", "no sign of", "no signs of",
    )
)  # fmt: skip
_DOUBTS = frozenset(("likely", "unlikely", "possible", "possibly", "probable", "probably"))
_AMOUNT = re.compile(
    r"[<>=~±]*\s*\d[\d.,/x%-]*\s*"
    r"(?:mg|mcg|µg|ug|g|kg|ml|cc|l|dl|mmol|meq|units?|iu|mmhg|cm|mm|bpm|%|°?[cf])?(?:/\w+)?",
    re.IGNORECASE,
)
_CONTEXT = 30
_CHECKS = {
    "negation-marked": (
        Severity.WARNING,
        "mark on a negation word",
        "marks on negation words",
        'Mark what is negated, not the negation: for "denies chest pain" not "denies".',
    ),
    "doubt-marked": (
        Severity.WARNING,
        'mark on "likely", "unlikely" or "possible"',
        'marks on words such as "likely", "unlikely" or "possible"',
        "Leave words of doubt alone.",
    ),
    "amount-marked": (
        Severity.WARNING,
        "mark on a number, a dose or a unit",
        "marks on numbers, doses or units",
        'Mark the test or the drug: for "INR 3.1" not "3.1", for "15mg PO" only "PO".',
    ),
    "repeat-unmarked": (
        Severity.REMARK,
        "place of a term that is marked elsewhere in the note, but not here",
        "places of terms that are marked elsewhere in the note, but not here",
        "Mark a term every time it appears, unless it means something else here.",
    ),
    "part-says-the-same": (
        Severity.WARNING,
        "mark inside another that has the same concept",
        "marks inside others that have the same concept",
        'Mark what says it more fully: for "Crohn\'s disease" not "Crohn\'s" as well.',
    ),
    "compound-cui-less": (
        Severity.REMARK,
        "CUI-less mark whose parts are marked with concepts",
        "CUI-less marks whose parts are marked with concepts",
        "A compound whose parts are all marked need not be marked as CUI-less.",
    ),
}


@dataclass(frozen=True, slots=True)
class _Mark:
    annotator: str
    span: Span
    codes: frozenset[str]
    text: str = field(repr=False)


def check_guidelines(corpus: Corpus, *, show_text: bool, examples: int) -> Iterator[Finding]:
    """Everything that the guidelines for concepts ask for and a program can see."""
    counts: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    quoted: dict[str, str] = {}
    given: dict[str, list[Annotation]] = {}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is not None and annotation.spans:
            given.setdefault(annotation.note_id, []).append(annotation)
    for note in track(corpus.iter_notes(), "examining concepts"):
        text = note.text or ""
        by_whom: dict[str, list[Annotation]] = {}
        for annotation in given.get(note.note_id, ()):
            by_whom.setdefault(annotation.annotator, []).append(annotation)
        for annotator, mine in by_whom.items():
            for check, span in _examine(_marks(annotator, mine, note), text):
                counts[check] += 1
                if counts[check] <= examples:
                    place = f"note {note.note_id} {span.begin}–{span.end} by {annotator}"
                    places.setdefault(check, []).append(place)
                    begin = max(0, span.begin - _CONTEXT)
                    quoted.setdefault(check, text[begin : span.end + _CONTEXT])
    for check, (severity, one, several, advice) in _CHECKS.items():
        if count := counts[check]:
            around = quoted[check] if show_text else None
            problem = one if count == 1 else several
            yield Finding(check, severity, count, problem, tuple(places[check]), advice, around)


def _marks(annotator: str, annotations: Sequence[Annotation], note: Note) -> list[_Mark]:
    """The marks of one annotator on a note that lie in its text; those on one span are one."""
    text = note.text or ""
    codes: dict[Span, set[str]] = {}
    for annotation in annotations:
        whole = extent(annotation.spans)
        if whole.end <= len(text) and len(annotation.spans) == 1 and len(whole):
            codes.setdefault(whole, set()).add(annotation.code.value)
    return [
        _Mark(annotator, span, frozenset(of), " ".join(span.of(text).lower().split()))
        for span, of in sorted(codes.items(), key=lambda item: (item[0].begin, -item[0].end))
    ]


def _examine(marks: Sequence[_Mark], text: str) -> Iterator[tuple[str, Span]]:
    for mark in marks:
        if mark.text in _NEGATIONS:
            yield "negation-marked", mark.span
        elif mark.text in _DOUBTS:
            yield "doubt-marked", mark.span
        elif _AMOUNT.fullmatch(mark.text):
            yield "amount-marked", mark.span
    yield from _nested(marks)
    yield from _unmarked(marks, text)


def _nested(marks: Sequence[_Mark]) -> Iterator[tuple[str, Span]]:
    outer: list[_Mark] = []
    parts: dict[Span, list[_Mark]] = {}
    for mark in marks:  # by where they begin, longer ones first
        outer = [other for other in outer if other.span.end > mark.span.begin]
        around = [other for other in outer if other.span.contains(mark.span)]
        if any(mark.codes & other.codes - {CUI_LESS} for other in around):
            yield "part-says-the-same", mark.span
        for other in around:
            parts.setdefault(other.span, []).append(mark)
        outer.append(mark)
    for mark in marks:
        inside = [part for part in parts.get(mark.span, ()) if part.codes != {CUI_LESS}]
        if mark.codes == {CUI_LESS} and len(inside) > 1:
            covered = {at for part in inside for at in range(part.span.begin, part.span.end)}
            words = range(mark.span.begin, mark.span.end)
            if len(covered) >= len(words) - mark.text.count(" ") - 1:
                yield "compound-cui-less", mark.span


def _unmarked(marks: Sequence[_Mark], text: str) -> Iterator[tuple[str, Span]]:
    """Places of marked terms that are in no mark."""
    if not marks:
        return
    terms = sorted({mark.text for mark in marks if len(mark.text) > 2}, key=len, reverse=True)
    if not terms:
        return
    pattern = "|".join(r"\s+".join(map(re.escape, term.split())) for term in terms)
    taken = bytearray(len(text))
    for mark in marks:
        taken[mark.span.begin : mark.span.end] = b"x" * len(mark.span)
    for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE):
        if b"x" not in taken[match.start() : match.end()]:
            yield "repeat-unmarked", Span(*match.span())
