"""Simulated concept annotations by a careful annotator, and by one who misses repetitions.

Everything with a medical meaning is marked, also inside something longer: in "acute kidney
injury" the whole, "acute" and "kidney". What the note means decides, so an abbreviation that
means several things is marked as what its author meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, NamedTuple

from auscult.codes import CUI_LESS
from auscult.synth import json_lines
from auscult.synth.charts import WrittenChart, WrittenNote
from auscult.synth.note_parts import Form, Phrase, PhraseKind
from auscult.synth.random_draws import RandomDraws
from auscult.synth.vocabulary import SynthVocabulary

SHARE = 0.15
"""The share of charts of which notes are marked."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_PLAIN = frozenset((
    "a", "an", "and", "as", "at", "be", "by", "do", "for", "he", "if", "in", "is", "it", "no",
    "of", "on", "or", "so", "the", "to", "up", "was", "we", "with", "c", "l", "r", "p", "i",
    "all", "may", "out", "per", "not", "day", "time", "home", "left", "PA", "AP", "TV", "SBP",
))  # fmt: skip
"""Words too common to be taken for a concept wherever they stand."""
_UNMARKED = frozenset((
    "absent", "likely", "negative", "negative for", "none", "possible", "possibly", "probable",
    "probably", "rule out", "ruled out",
))  # fmt: skip
_UNITS = frozenset(("hr", "hrs", "min"))
"""As they are written: HR is a heart rate."""


class ConceptMark(NamedTuple):
    """A span and all its possible concepts; none if the vocabulary has no match."""

    begin: int
    end: int
    cuis: tuple[str, ...]
    others: tuple[str, ...]
    """Concepts with the same name that are not the intended one."""


class _Name(NamedTuple):
    tokens: tuple[str, ...]
    exact: str
    """The name as it must be written; nothing when case does not matter."""
    cuis: tuple[str, ...]


def _written(name: str) -> str:
    """A name as it is told apart from others: short forms by their capitals too."""
    is_short = len(name) < 4 or (len(name) < 7 and name[1:] != name[1:].lower())
    return name if is_short else name.lower()


class Marker:
    """Finds the concepts of notes."""

    def __init__(self, vocabulary: SynthVocabulary) -> None:
        self._vocabulary = vocabulary
        self._names: dict[str, list[_Name]] = {}
        owners: dict[str, set[tuple[str, ...]]] = {}
        for key, names in vocabulary.names.items():
            for name in names:
                owners.setdefault(_written(name), set()).add(vocabulary.cuis[key])
        for key, names in vocabulary.names.items():
            for name in names:
                written = _written(name)
                if key[0] is PhraseKind.EXTERNAL or len(owners[written]) > 1 or written in _PLAIN:
                    continue
                tokens = tuple(token.lower() for token in _TOKEN.findall(name))
                exact = name if (written == name and name != name.lower()) or len(name) < 4 else ""
                self._names.setdefault(tokens[0], []).append(
                    _Name(tokens, exact, vocabulary.cuis[key])
                )

    def marks(self, note: WrittenNote) -> list[ConceptMark]:
        """Every concept of a note, in order; longer before shorter at the same beginning."""
        found: dict[tuple[int, int], ConceptMark] = {}
        closed = bytearray(len(note.text))
        meant: list[tuple[int, int] | None] = [None] * len(note.text)
        for begin, end, _ in note.masks:
            closed[begin:end] = b"x" * (end - begin)
        for begin, end, phrase in note.phrases:
            found[begin, end] = self._mark(begin, end, phrase)
            # An abbreviation is not taken apart, and what an author meant is not guessed anew.
            if phrase.form is Form.SHORT:
                closed[begin:end] = b"x" * (end - begin)
            else:
                meant[begin:end] = [(begin, end)] * (end - begin)
        for begin, end, cuis in self._scan(note.text):
            if (begin, end) in found or b"x" in closed[begin:end]:
                continue
            if _is_left_alone(note.text[begin:end]):
                continue
            if not _crosses(meant[begin], meant[end - 1], begin, end):
                found[begin, end] = ConceptMark(begin, end, cuis, ())
        return _fullest(sorted(found.values(), key=lambda mark: (mark.begin, -mark.end)))

    def _mark(self, begin: int, end: int, phrase: Phrase) -> ConceptMark:
        cuis = self._vocabulary.cuis.get((phrase.kind, phrase.row), ())
        senses = self._vocabulary.senses.get(phrase.proper.lower(), ())
        return ConceptMark(begin, end, cuis, tuple(cui for cui in senses if cui not in cuis))

    def _scan(self, text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        spans = [match.span() for match in _TOKEN.finditer(text)]
        words = [text[begin:end].lower() for begin, end in spans]
        for at, word in enumerate(words):
            for name in self._names.get(word, ()):
                size = len(name.tokens)
                if size > 1 and tuple(words[at : at + size]) != name.tokens:
                    continue
                begin, end = spans[at][0], spans[at + size - 1][1]
                if name.exact and text[begin:end] != name.exact:
                    continue
                yield begin, end, name.cuis


def _crosses(
    first: tuple[int, int] | None, last: tuple[int, int] | None, begin: int, end: int
) -> bool:
    """Whether a span sticks out of the phrase its first or its last character is in.

    A span that lies in a phrase, or holds all of it, does not.
    """
    if first == last:
        return False
    return (first is not None and first[0] < begin) or (last is not None and last[1] > end)


def _is_left_alone(text: str) -> bool:
    """Whether a text is a negation, a doubt or a unit, which the guidelines leave alone."""
    return text in _UNITS or " ".join(text.lower().split()) in _UNMARKED


def _fullest(marks: list[ConceptMark]) -> list[ConceptMark]:
    """Marks without those inside another that has one of their concepts and says it more fully."""
    kept: list[ConceptMark] = []
    around: list[ConceptMark] = []
    for mark in marks:  # by where they begin, longer ones first
        around = [other for other in around if other.end > mark.begin]
        holding = [other for other in around if other.end >= mark.end]
        if not any(set(mark.cuis) & set(other.cuis) for other in holding):
            kept.append(mark)
        around.append(mark)
    return kept


class ConceptsWriter:
    """Writes the two annotators' annotations."""

    def __init__(self, file: IO[str], vocabulary: SynthVocabulary) -> None:
        self._file = file
        self._marker = Marker(vocabulary)
        self.notes = 0
        self.annotations = 0

    def chart(self, chart: WrittenChart) -> None:
        """Mark the discharge summary and one other note of a chart, if it is in the sample."""
        dice = chart.stay.patient.dice.fork(f"concepts {chart.stay.number}")
        if not dice.chance(SHARE):
            return
        summary = [note for note in chart.notes if note.category == "Discharge summary"]
        rest = [note for note in chart.notes if note.category != "Discharge summary"]
        for note in [*summary[:1], *dice.some(rest, 1)]:
            self.notes += 1
            marks = self._marker.marks(note)
            self._write("gold", chart.stay.hadm_id, note, marks)
            self._write("second", chart.stay.hadm_id, note, self._tired(marks, note, dice))

    def _write(
        self, annotator: str, chart_id: int, note: WrittenNote, marks: list[ConceptMark]
    ) -> None:
        for mark in marks:
            for cui in mark.cuis or (CUI_LESS,):
                self.annotations += 1
                self._file.write(
                    json_lines.annotation(
                        annotator, ("UMLS", cui), chart_id, note.row_id, [(mark.begin, mark.end)]
                    )
                )

    def _tired(
        self, marks: list[ConceptMark], note: WrittenNote, dice: RandomDraws
    ) -> list[ConceptMark]:
        """The second annotator's annotations: repeated concepts are often missed."""
        seen: set[str] = set()
        kept = []
        outer = -1
        for mark in marks:
            words = note.text[mark.begin : mark.end].lower()
            inner = mark.end <= outer
            outer = max(outer, mark.end)
            again = words in seen
            seen.add(words)
            if dice.chance(0.10 + (0.12 if again else 0.0) + (0.18 if inner else 0.0)):
                continue
            cuis = mark.cuis
            if mark.others and dice.chance(0.3):
                cuis = (dice.pick(mark.others),)
            elif len(cuis) > 1 and dice.chance(0.6):
                cuis = (dice.pick(cuis),)
            elif dice.chance(0.09):
                cuis = ()
            begin, end = mark.begin, mark.end
            if " " in words and dice.chance(0.08):
                begin += words.index(" ") + 1
            kept.append(mark._replace(begin=begin, end=end, cuis=cuis))
        return kept
