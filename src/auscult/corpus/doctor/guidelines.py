"""Checks of the guidelines for marking concepts (Agrawal and others 2020, appendix C).

They are about corpora in which every medical concept of a note is marked, spans inside spans too;
`docs/guidelines-concepts.md` has the guidelines in words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from auscult.codes import is_cui_less
from auscult.core import Annotation, Span
from auscult.core.progress import track
from auscult.core.span import extent, union
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
_UNITS = (
    r"mg|mcg|[µμ]g|ug|ng|pg|kg|lbs?|oz|ml|cc|dl|mmol|[µμ]mol|m?eq|units?|iu|mmhg|cm|mm|bpm|mg%|"
    r"hrs?|mins?|secs?|cmh2o|torr|kcal|°[cf]|%"
)
_AMOUNT = re.compile(
    rf"[<>=~±]*\s*\d[\d.,/x%-]*\s*(?:{_UNITS}|[glcf])?(?:/\w+)?|(?:{_UNITS})(?:/\w+)*",
    re.IGNORECASE,
)
_NO_AMOUNTS = frozenset(("2/2", "CC", "HR", "HRS", "Mg", "MG", "MM"))
"""Words that look like one but are not, in their exact spelling: secondary to, chief complaint,
heart rate, hepatorenal syndrome, magnesium, myasthenia gravis, multiple myeloma."""
_SHORT = 2
"""Terms of up to this many characters are matched case-sensitively: pt is not PT."""
_CONTEXT = 30
_CHECKS = {
    "negation-marked": (
        Severity.WARNING,
        "annotation on a negation word",
        "annotations on negation words",
        'Annotate what is negated, not the negation: in "denies chest pain", not "denies".',
    ),
    "doubt-marked": (
        Severity.WARNING,
        'mark on "likely", "unlikely" or "possible"',
        'marks on words such as "likely", "unlikely" or "possible"',
        "Do not annotate words of uncertainty.",
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
    "note-unmarked": (
        Severity.REMARK,
        "note that nobody marked anything in",
        "notes that nobody marked anything in",
        "If nobody read them, leave them out: auscult corpus select CORPUS OUT --annotated.",
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
    """What one annotator marked; several spans when it is discontinuous."""

    spans: tuple[Span, ...]
    codes: frozenset[str]
    text: str = field(repr=False)

    @property
    def whole(self) -> Span:
        return extent(self.spans)

    @property
    def size(self) -> int:
        return sum(map(len, self.spans))

    def holds(self, other: _Mark) -> bool:
        """Whether every part of the other lies in a part of this one."""
        return all(any(mine.contains(part) for mine in self.spans) for part in other.spans)

    @property
    def is_cui_less(self) -> bool:
        return all(map(is_cui_less, self.codes))


def check_guidelines(corpus: Corpus, *, show_text: bool, examples: int) -> Iterator[Finding]:
    """Everything that the guidelines for concepts ask for and a program can see."""
    counts: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    quoted: dict[str, list[str]] = {}
    given: dict[str, list[Annotation]] = {}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is not None and annotation.spans:
            given.setdefault(annotation.note_id, []).append(annotation)
    for note in track(corpus.iter_notes(), "examining concepts"):
        text = note.text or ""
        if given and text.strip() and note.note_id not in given:
            counts["note-unmarked"] += 1
            if counts["note-unmarked"] <= examples:
                places.setdefault("note-unmarked", []).append(f"note {note.note_id}")
        by_whom: dict[str, list[Annotation]] = {}
        for annotation in given.get(note.note_id, ()):
            by_whom.setdefault(annotation.annotator, []).append(annotation)
        for annotator, mine in by_whom.items():
            for check, span in _examine(_marks(mine, text), text):
                counts[check] += 1
                if counts[check] <= examples:
                    place = f"note {note.note_id} {span.begin}–{span.end} by {annotator}"
                    places.setdefault(check, []).append(place)
                    begin = max(0, span.begin - _CONTEXT)
                    quoted.setdefault(check, []).append(text[begin : span.end + _CONTEXT])
    for check, (severity, one, several, advice) in _CHECKS.items():
        if count := counts[check]:
            quotes = tuple(quoted.get(check, ())) if show_text else ()
            problem = one if count == 1 else several
            yield Finding(check, severity, count, problem, tuple(places[check]), advice, quotes)


def _marks(annotations: Sequence[Annotation], text: str) -> list[_Mark]:
    """The marks of one annotator on a note that lie in its text; those on one place are one."""
    codes: dict[tuple[Span, ...], set[str]] = {}
    for annotation in annotations:
        spans = union(span for span in annotation.spans if len(span))
        if spans and extent(spans).end <= len(text):
            codes.setdefault(spans, set()).add(annotation.code.value)
    made = [
        _Mark(spans, frozenset(of), " ".join(" ".join(s.of(text) for s in spans).split()))
        for spans, of in codes.items()
    ]
    return sorted(made, key=lambda m: (m.whole.begin, -m.whole.end, -m.size, m.spans))


def _left_alone(text: str) -> str | None:
    """The check that a mark on a text fails: it is a word that is to be left alone.

    >>> _left_alone("denies"), _left_alone("15 mg"), _left_alone("asthma")
    ('negation-marked', 'amount-marked', None)
    """
    said = text.lower()
    if said in _NEGATIONS:
        return "negation-marked"
    if said in _DOUBTS:
        return "doubt-marked"
    return "amount-marked" if _AMOUNT.fullmatch(said) and text not in _NO_AMOUNTS else None


def _examine(marks: Sequence[_Mark], text: str) -> Iterator[tuple[str, Span]]:
    for mark in marks:
        if check := _left_alone(mark.text):
            yield check, mark.whole
    yield from _nested(marks)
    yield from _unmarked(marks, text)


def _nested(marks: Sequence[_Mark]) -> Iterator[tuple[str, Span]]:
    outer: list[_Mark] = []
    parts: dict[tuple[Span, ...], list[_Mark]] = {}
    for mark in marks:  # by where they begin, longer ones first
        outer = [other for other in outer if other.whole.end > mark.whole.begin]
        around = [other for other in outer if other.holds(mark)]
        same = {code for other in around for code in mark.codes & other.codes}
        if not all(map(is_cui_less, same)):
            yield "part-says-the-same", mark.whole
        for other in around:
            parts.setdefault(other.spans, []).append(mark)
        outer.append(mark)
    for mark in marks:
        inside = [part for part in parts.get(mark.spans, ()) if not part.is_cui_less]
        if mark.is_cui_less and len(inside) > 1:
            covered = union(span for part in inside for span in part.spans)
            if sum(map(len, covered)) >= mark.size - mark.text.count(" ") - 1:
                yield "compound-cui-less", mark.whole


def _unmarked(marks: Sequence[_Mark], text: str) -> Iterator[tuple[str, Span]]:
    """Places of marked terms that are in no mark. Terms in several parts are not looked for."""
    whole = [mark for mark in marks if len(mark.spans) == 1]
    terms = {mark.text for mark in whole if any(map(str.isalpha, mark.text))}
    if not terms:
        return
    taken = bytearray(len(text))
    for span in (span for mark in marks for span in mark.spans):
        taken[span.begin : span.end] = b"x" * len(span)
    told = {term.lower() if len(term) > _SHORT else term for term in terms}
    pattern = "|".join(
        f"(?i:{words})" if len(term) > _SHORT else words
        for term in sorted(told, key=lambda t: (-len(t), t))
        for words in (r"\s+".join(map(re.escape, term.split())),)
    )
    for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text):
        if b"x" not in taken[match.start() : match.end()]:
            yield "repeat-unmarked", Span(*match.span())
