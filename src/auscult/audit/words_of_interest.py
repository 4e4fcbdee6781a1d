"""The words of interest: their places in notes, and how to choose them automatically."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from auscult.audit.predictor import require_code
from auscult.core import Code, FormatError, Note, OptionError
from auscult.core.files import read_lines
from auscult.corpus.corpus import Chart
from auscult.models.model import Model
from auscult.models.perturbation import Place


class WordFinder:
    """Finds words or phrases at word boundaries, ignoring case unless `case`.

    >>> WordFinder(["mom"]).places([Note("n", "c", text="Mom's mom, moment")], "mom")
    [('n', 0, 3), ('n', 6, 9)]
    """

    def __init__(self, words: Iterable[str], *, case: bool = False) -> None:
        self.words = tuple(dict.fromkeys(" ".join(word.split()) for word in words))
        if not self.words or not all(self.words):
            raise OptionError("Give at least one word of interest; none may be blank.")
        self.case = case
        self._patterns = {word: _Pattern(word, case=case) for word in self.words}

    def places(self, notes: Iterable[Note], word: str) -> list[Place]:
        """The places of the word, note by note."""
        find = self._patterns[word].find
        return [(note.note_id, *span) for note in notes for span in find(note.text or "")]


class _Pattern:
    def __init__(self, word: str, *, case: bool) -> None:
        self._is_simple = case or word.isascii()
        self._case = case
        lower = word if case else word.lower()
        written = r"\s+".join(map(re.escape, lower.split())) + r"(?!\w)"
        self._plain = re.compile(written)
        self._any_case = re.compile(written, re.IGNORECASE)

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        # Plain search for a string is many times quicker than one for a string in any case. Only
        # of ASCII do lower and upper case have the same length.
        is_plain = self._case or (self._is_simple and text.isascii())
        pattern = self._plain if is_plain else self._any_case
        searched = text.lower() if is_plain and not self._case else text
        at = 0
        while match := pattern.search(searched, at):
            begin, end = match.span()
            inside = begin > 0 and (searched[begin - 1].isalnum() or searched[begin - 1] == "_")
            if not inside:
                yield begin, end
            at = begin + 1 if inside else end


def read_words(file: Path) -> list[str]:
    """The words in a file, one per line; blank lines and lines that begin with # are ignored."""
    lines = (line.strip() for _, line in read_lines(file))
    words = [line for line in lines if line and not line.startswith("#")]
    if not words:
        raise FormatError("the file has no words; write one word per line", file)
    return list(dict.fromkeys(words))


def frequent_words(charts: Iterable[Chart], number: int, *, least: int = 4) -> list[str]:
    """The words in the most charts, of at least so many letters."""
    charts_with: dict[str, int] = {}
    for chart in charts:
        for word in {word for note in chart.notes for word in _letters(note, least)}:
            charts_with[word] = charts_with.get(word, 0) + 1
    return _first(charts_with, number)


def influential_words(
    model: Model, charts: Iterable[Chart], code: Code, number: int, *, least: int = 4
) -> list[str]:
    """The words with the highest evidence weights of the model for a code.

    A word counts once per chart, by its largest weight there.
    """
    require_code(model, code)
    place = np.array([model.labels.index[code]])
    weights: dict[str, float] = {}
    notes = (note for chart in charts for note in chart.notes)
    for reading in model.read(notes, lambda _text, _scores: place):
        evidence = reading.evidence.get(int(place[0]))
        if evidence is None:
            continue
        by_word = evidence.by_word(len(reading.text))
        largest: dict[str, float] = {}
        for at in np.flatnonzero(by_word):
            word = reading.text.words[at]
            if len(word) >= least and word.isalpha():
                largest[word] = max(largest.get(word, 0.0), float(by_word[at]))
        for word, weight in largest.items():
            weights[word] = weights.get(word, 0.0) + weight
    return _first(weights, number)


def words_in(text: str) -> list[str]:
    """The runs of letters in a text, in lower case."""
    return [word.lower() for word in _LETTERS.findall(text)]


_LETTERS = re.compile(r"[^\W\d_]+")


def _letters(note: Note, least: int) -> Sequence[str]:
    return [word for word in words_in(note.text or "") if len(word) >= least]


def _first(weights: Mapping[str, float], number: int) -> list[str]:
    found = sorted(weights, key=lambda word: (-weights[word], word))[:number]
    if not found:
        raise OptionError("The notes have no words to choose from.")
    return found
