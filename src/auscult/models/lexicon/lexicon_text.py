"""Words as the lexicon compares them: folded, stemmed, shortened, and in sentences."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from auscult.codes.index.stems import stem
from auscult.models.chart_text import ChartText

Key = tuple[str, ...]
"""The words of a term, each by the beginning of its stem, sorted."""

_KEY = 6
"""Letters of a stem that are enough to call two words variants of each other."""
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
class LexiconText:
    """A chart's words in the forms that are compared, and the sentence each is in.

    `gaps[i]` is what stands between word `i - 1` and word `i`, shortened.
    """

    text: ChartText
    folded: list[str] = field(repr=False)
    stems: list[str] = field(repr=False)
    keys: list[str] = field(repr=False)
    sentences: list[int] = field(repr=False)
    gaps: list[str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.folded)


class LexiconReader:
    """Prepares charts in one language; remembers the forms of the words it has met."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._forms: dict[str, tuple[str, str, str]] = {}

    def prepare(self, text: ChartText) -> LexiconText:
        """The words of a chart, ready to be compared."""
        forms = [self.forms(word) for word in text.words]
        gaps, sentences = _gaps(text)
        return LexiconText(
            text,
            [folded for folded, _, _ in forms],
            [stemmed for _, stemmed, _ in forms],
            [key for _, _, key in forms],
            sentences,
            gaps,
        )

    def forms(self, word: str) -> tuple[str, str, str]:
        """A word without accents, its stem, and the beginning of its stem."""
        found = self._forms.get(word)
        if found is None:
            stemmed = fold(stem(word, self.language))
            found = self._forms[word] = (fold(word), stemmed, stemmed[:_KEY])
        return found


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


def common_words(charts: Iterable[LexiconText]) -> frozenset[str]:
    """Short words that stand in a third of the charts: they join terms and mean little alone."""
    counted: Counter[str] = Counter()
    number = 0
    for chart in charts:
        counted.update({word for word in chart.folded if len(word) <= 4})
        number += 1
    return frozenset(word for word, count in counted.items() if count > 0.3 * number)


def _gaps(text: ChartText) -> tuple[list[str], list[int]]:
    gaps: list[str] = []
    sentences: list[int] = []
    sentence, note_before, begin_before, end_before = 0, -1, 0, 0
    places = zip(text.note_of.tolist(), text.begins.tolist(), text.ends.tolist(), strict=True)
    for note_at, begin, end in places:
        whole = text.notes[note_at].text or ""
        if note_at != note_before:
            sentence += 1
            gaps.append("^")
        else:
            gap = whole[end_before:begin]
            sentence += _is_break(gap, whole[begin], after_letter=end_before - begin_before == 1)
            gaps.append(" ".join(gap.split())[:3])
        sentences.append(sentence)
        note_before, begin_before, end_before = note_at, begin, end
    return gaps, sentences


def _is_break(gap: str, following: str, *, after_letter: bool) -> bool:
    if gap == " ":
        return False
    if after_letter and gap == ". " and following.islower():
        return False  # A genus, as in E. coli.
    lines = gap.count("\n")
    # A line that goes on in lower case is only wrapped.
    return _STOP.search(gap) is not None or lines > 1 or (lines == 1 and not following.islower())
