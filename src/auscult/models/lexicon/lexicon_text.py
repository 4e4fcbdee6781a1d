"""Words as the lexicon compares them: folded, stemmed, shortened, and in sentences."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from auscult.codes.index.stems import stem
from auscult.models.chart_text import ChartText
from auscult.models.lexicon.strings import Column, Ids, NumberedStrings

Key = tuple[str, ...]
"""The words of a term, each by the beginning of its stem, sorted."""

_KEY = 6
"""Letters of a stem that are enough to call two words variants of each other."""
_MOST_GAPS = 100_000
_STOP = re.compile(r"[.;:?!]\s")
_FUNCTION_WORDS = {
    "danish": "og i at er en den af til med ikke det",
    "dutch": "de het een van en met voor niet bij is op",
    "english": "the of and with was for to in no is on",
    "french": "le la les des et une avec pour du est dans",
    "german": "der die das und mit von bei ein eine nicht im",
    "italian": "il di che la con per una del non le si",
    "norwegian": "og i er en av til med ikke det på som",
    "portuguese": "o de que com para uma do da não os foi",
    "romanian": "și de la cu în un o pe nu din pentru",
    "spanish": "el de la que con en por los se una del",
    "swedish": "och i att är en av till med inte det på",
}


@dataclass(frozen=True, eq=False)
class NumberedWords:
    """Words by number, in the forms that are compared."""

    forms: WordForms = field(repr=False)
    words: Ids = field(repr=False)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def folded(self) -> Ids:
        """The words without accents."""
        return self.forms.folded(self.words)

    @property
    def stems(self) -> Ids:
        """The stems of the words."""
        return self.forms.stems(self.words)

    @property
    def keys(self) -> Ids:
        """The beginnings of the stems."""
        return self.forms.keys(self.words)


@dataclass(frozen=True, eq=False)
class LexiconText(NumberedWords):
    """A chart's words by number, and the sentence each is in.

    `gaps[i]` is what stands between word `i - 1` and word `i`, shortened.
    """

    text: ChartText
    sentences: Ids = field(repr=False)
    gaps: Ids = field(repr=False)

    def part(self, begin: int, end: int) -> LexiconText:
        """Words `begin` up to `end` as a chart."""
        text = self.text
        return LexiconText(
            self.forms,
            self.words[begin:end],
            ChartText(
                text.chart_id,
                text.notes,
                text.words[begin:end],
                text.note_of[begin:end],
                text.begins[begin:end],
                text.ends[begin:end],
                text.cut,
            ),
            self.sentences[begin:end],
            self.gaps[begin:end],
        )


class WordForms:
    """Words and their forms by number; the forms are numbers of `strings`."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.strings = NumberedStrings()
        self.words = NumberedStrings()
        self._forms = Column(self.words, self._numbers, np.int32, 3)

    def folded(self, words: Ids) -> Ids:
        """The words without accents."""
        return self._forms[words][:, 0]

    def stems(self, words: Ids) -> Ids:
        """The stems of words, without accents."""
        return self._forms[words][:, 1]

    def keys(self, words: Ids) -> Ids:
        """The beginnings of the stems."""
        return self._forms[words][:, 2]

    def words_of(self, words: Sequence[str]) -> Ids:
        """The number of every word; from then on its forms have numbers too."""
        found = self.words.numbers(words)
        self._forms[found]
        return found

    def of(self, word: str) -> tuple[str, str, str]:
        """A word without accents, its stem, and the beginning of its stem."""
        stemmed = fold(stem(word, self.language))
        return fold(word), stemmed, shortened(stemmed)

    def _numbers(self, word: str) -> list[int]:
        return [self.strings.number(form) for form in self.of(word)]


class LexiconReader:
    """Prepares charts in one language; remembers the forms of the words it has met."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.forms = WordForms(language)
        self._breaks: dict[tuple[str, bool, bool], tuple[int, bool]] = {}

    def prepare(self, text: ChartText) -> LexiconText:
        """The words of a chart, ready to be compared."""
        gaps, sentences = self._gaps(text)
        return LexiconText(self.forms, self.forms.words_of(text.words), text, sentences, gaps)

    def _gaps(self, text: ChartText) -> tuple[Ids, Ids]:
        """What stands before each word, and the number of its sentence, from 1."""
        number = self.forms.strings.number
        gaps = np.full(len(text), number(""), np.int32)
        is_break = np.zeros(len(text), bool)
        for at, note in enumerate(text.notes):
            first, last = np.searchsorted(text.note_of, (at, at + 1)).tolist()
            if first == last:
                continue
            gaps[first], is_break[first] = number("^"), True
            begins, ends = text.begins[first:last], text.ends[first:last]
            whole = note.text or ""
            letters = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
            # Most words are one blank apart, which is no break.
            is_plain = (begins[1:] - ends[:-1] == 1) & (letters[ends[:-1]] == ord(" "))
            for order in (np.flatnonzero(~is_plain) + 1).tolist():
                gap = whole[ends[order - 1] : begins[order]]
                case = (
                    gap,
                    bool(ends[order - 1] - begins[order - 1] == 1),
                    (whole[begins[order]].islower()),
                )
                known = self._breaks.get(case)
                if known is None:
                    if len(self._breaks) > _MOST_GAPS:
                        self._breaks.clear()
                    known = number(" ".join(gap.split())[:3]), _is_break(*case)
                    self._breaks[case] = known
                gaps[first + order], is_break[first + order] = known
        return gaps, np.cumsum(is_break, dtype=np.int32)


def shortened(stemmed: str) -> str:
    """The beginning of a stem, by which words are compared."""
    return stemmed[:_KEY]


def fold(word: str) -> str:
    """A word without accents.

    >>> fold("neumonía")
    'neumonia'
    """
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def guess_language(texts: Iterable[ChartText], *, words: int = 100_000) -> str:
    """The language whose commonest words are most frequent; English when in doubt.

    >>> from auscult.models.chart_text import read_chart
    >>> from auscult.core import Note
    >>> guess_language([read_chart("c", [Note("1", "c", text="Dolor en el pecho con fiebre")])])
    'spanish'
    """
    counted: Counter[str] = Counter()
    for text in texts:
        counted.update(text.words)
        if counted.total() >= words:
            break
    scores = {
        language: sum(counted[word] for word in listed.split())
        for language, listed in _FUNCTION_WORDS.items()
    }
    best = max(scores.values())
    return "english" if scores["english"] == best else max(scores, key=lambda name: scores[name])


def common_words(charts: Sequence[LexiconText]) -> npt.NDArray[np.bool_]:
    """Short words that stand in a third of the charts: they join terms and mean little alone.

    One truth value for every string there is.
    """
    if not charts:
        return np.zeros(0, bool)
    strings = charts[0].forms.strings
    counted = np.zeros(len(strings), np.int64)
    for chart in charts:
        counted[np.unique(chart.folded)] += 1
    is_short = strings.lengths[np.arange(len(counted))] <= 4
    found: npt.NDArray[np.bool_] = is_short & (counted > 0.3 * len(charts))
    return found


def word_frequency(charts: Sequence[LexiconText]) -> dict[str, int]:
    """How often each key is in the charts."""
    if not charts:
        return {}
    forms = charts[0].forms
    times = np.zeros(len(forms.words), np.int64)
    for chart in charts:
        np.add.at(times, chart.words, 1)
    counted = np.bincount(
        forms.keys(np.arange(len(times), dtype=np.int32)), times, len(forms.strings)
    ).astype(np.int64)
    return {forms.strings.names[at]: int(counted[at]) for at in np.flatnonzero(counted)}


def _is_break(gap: str, after_letter: bool, before_lower: bool) -> bool:
    if gap == " ":
        return False
    if after_letter and gap == ". " and before_lower:
        return False  # A genus, as in E. coli.
    lines = gap.count("\n")
    # A line that goes on in lower case is only wrapped.
    return _STOP.search(gap) is not None or lines > 1 or (lines == 1 and not before_lower)
