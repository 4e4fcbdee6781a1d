"""A note laid out as WebAnno TSV: sentences, a row a token, and the spans on those rows.

Lines are sentences. A sentence reaches to the next one, less the line break between them, so that
nothing of the note falls between two sentences and only white space before its first word cannot
be held. White space is never a token, and a span has to begin and end at or inside a token.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.core import Offsets, OffsetUnit, Span
from auscult.corpus.formats.webanno.escapes import escape_text, escape_value

FORMAT = "#FORMAT=WebAnno TSV 3.3"
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LINE_BREAK = re.compile(r"[\n\r]")


@dataclass(frozen=True, slots=True)
class SpanToWrite:
    """A span of a layer, with the values of its features."""

    layer: str
    span: Span
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TokenizedNote:
    """A note's text with its tokens."""

    text: str = field(repr=False)
    tokens: tuple[Span, ...]
    _begins: tuple[int, ...]
    _ends: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> TokenizedNote:
        """The page of a text."""
        tokens = tuple(tokenize(text))
        return cls(text, tokens, tuple(t.begin for t in tokens), tuple(t.end for t in tokens))

    def fit(self, span: Span) -> Span | None:
        """The span as the format can hold it: less white space at its edges.

        None when nothing is left. An empty span moves to the nearest token.
        """
        if not self.tokens:
            return None
        if not len(span):
            before = self.tokens[self._home(span)]
            at = min(max(span.begin, before.begin), before.end)
            return Span(at, at)
        first, last = self._reach(span)
        if first > last:
            return None
        return Span(max(span.begin, self.tokens[first].begin), min(span.end, self.tokens[last].end))

    def units(self, span: Span) -> Iterator[tuple[int, Span | None]]:
        """The tokens a fitting span is on, each with the part it covers if that is not all."""
        if not len(span):
            yield self._home(span), span
            return
        first, last = self._reach(span)
        for at in range(first, last + 1):
            shared = span.intersection(self.tokens[at])
            yield at, None if shared == self.tokens[at] else shared

    def sentences(self) -> Iterator[tuple[int, int, str]]:
        """The sentences: their first token, the one after their last, and their text."""
        if not self.tokens:
            return
        starts = [0]
        for at in range(1, len(self.tokens)):
            between = self.text[self._ends[at - 1] : self._begins[at]]
            if _LINE_BREAK.search(between):
                starts.append(at)
        for first, following in zip(starts, [*starts[1:], None], strict=True):
            if following is None:
                yield first, len(self.tokens), self.text[self._begins[first] :]
            else:
                until = self.text[self._begins[first] : self._begins[following]]
                yield first, following, until.removesuffix("\n")

    def _reach(self, span: Span) -> tuple[int, int]:
        """The first and last token that share a character with the span."""
        return bisect_right(self._ends, span.begin), bisect_left(self._begins, span.end) - 1

    def _home(self, span: Span) -> int:
        """The token of an empty span: the one it is in or at, else the one before it."""
        at = bisect_left(self._ends, span.begin)
        if at == len(self.tokens) or (at and self._begins[at] > span.begin):
            return at - 1
        return at


def tokenize(text: str) -> Iterator[Span]:
    """Words with the marks combined with them, and single other characters.

    >>> [span.of("T 38.5, naïve") for span in tokenize("T 38.5, naïve")]
    ['T', '38', '.', '5', ',', 'naïve']
    """
    word: Span | None = None
    for match in _TOKEN.finditer(text):
        begin, end = match.span()
        if word is not None and word.end == begin and _joins(text, begin):
            word = Span(word.begin, end)
            continue
        if word is not None:
            yield word
        word = Span(begin, end)
    if word is not None:
        yield word


def lay_out(
    page: TokenizedNote, layers: Mapping[str, Sequence[str]], marks: Iterable[SpanToWrite]
) -> str:
    """The file of a page. `layers` are the features of each layer; the marks must fit."""
    ordered = sorted(marks, key=lambda mark: (mark.span.begin, -mark.span.end))
    rows: list[dict[Span | None, list[int]]] = [{None: []} for _ in page.tokens]
    numbered = set()
    for index, mark in enumerate(ordered):
        units = list(page.units(mark.span))
        if len(units) > 1:
            numbered.add(index)
        for at, part in units:
            there = rows[at].setdefault(part, [])
            stacked = [other for other in there if ordered[other].layer == mark.layer]
            if stacked:
                numbered.update((index, *stacked))
            there.append(index)
    numbers = {index: number for number, index in enumerate(sorted(numbered), 1)}
    used = {mark.layer for mark in ordered}
    columns = {name: features for name, features in layers.items() if name in used}

    def cells(there: Sequence[int]) -> Iterator[str]:
        for layer, features in columns.items():
            mine = [index for index in there if ordered[index].layer == layer]
            for feature in features:
                values = (_cell(ordered[i].values.get(feature), numbers.get(i)) for i in mine)
                yield "|".join(values) if mine else "_"

    offsets = Offsets(page.text, OffsetUnit.UTF16)
    lines = [FORMAT, *(f"#T_SP={'|'.join((name, *names))}" for name, names in columns.items()), ""]
    for number, (first, following, text) in enumerate(page.sentences(), 1):
        lines.append("")
        lines += [f"#Text={escape_text(line)}" for line in text.split("\n")]
        for at in range(first, following):
            name = f"{number}-{at - first + 1}"
            for ordinal, (span, there) in enumerate(rows[at].items()):
                unit = page.tokens[at] if span is None else span
                begin, end = offsets.span_from_codepoint(unit)
                place = f"{name}.{ordinal}" if ordinal else name
                fields = (place, f"{begin}-{end}", unit.of(page.text), *cells(there))
                lines.append("".join(f"{value}\t" for value in fields))
    return "".join(f"{line}\n" for line in lines)


def _cell(value: str | None, number: int | None) -> str:
    written = "*" if value is None else escape_value(value)
    return written if number is None else f"{written}[{number}]"


def _joins(text: str, at: int) -> bool:
    """Whether the character is a combining mark, or goes on with a word after one."""
    return _is_mark(text[at]) or (text[at].isalnum() and _is_mark(text[at - 1]))


def _is_mark(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character).startswith("M")
