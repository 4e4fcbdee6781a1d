"""A WebAnno TSV file taken apart: its layers, its text, and the spans of the layers asked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auscult.core import FormatError, Offsets, OffsetUnit, Span, SpanError
from auscult.core.files import read_text
from auscult.corpus.formats.webanno.escapes import stack, unescape_text
from auscult.corpus.formats.webanno.features import WebannoSpan

_FORMAT = re.compile(r"#FORMAT=WebAnno TSV 3\.([0-3])\s*")
_LAYER = re.compile(r"#T_(SP|CH|RL)=(.+)")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_UNIT = re.compile(r"[0-9]{1,9}-[0-9]{1,9}(\.[0-9]{1,9})?")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_TEXT = "#Text="
_FIXED = 3
"""Columns before those of the layers: the unit's number, its offsets, its text."""


@dataclass(frozen=True, slots=True)
class WebannoLayer:
    """A layer as the header declares it."""

    kind: str
    name: str
    columns: tuple[str, ...]
    first: int

    @property
    def features(self) -> dict[str, int]:
        """The features that have a value each, and their columns. Links to others are not."""
        links = {at for at, name in enumerate(self.columns) if name.startswith("ROLE_")}
        links |= {at + 1 for at in links}
        return {name: self.first + at for at, name in enumerate(self.columns) if at not in links}


@dataclass(frozen=True, slots=True)
class WebannoFile:
    """What a file holds: its layers, the note's text, and what was found of each layer read."""

    layers: tuple[WebannoLayer, ...]
    text: str = field(repr=False)
    found: dict[str, list[WebannoSpan]]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A row: a token or a part of one."""

    row: int
    begin: int
    end: int
    cells: list[str] = field(repr=False)


def declared(path: Path) -> list[WebannoLayer]:
    """The layers a file declares."""
    return _layers(_LINE_BREAK.split(read_text(path)), path)


def parse(path: Path, names: Collection[str]) -> WebannoFile:
    """Read a file, with the spans of those of its layers that are named."""
    lines = _LINE_BREAK.split(read_text(path))
    layers = _layers(lines, path)
    columns = _FIXED + sum(len(layer.columns) for layer in layers)
    body = _Body(path, _minor_version(lines[0], path), columns)
    for row, line in enumerate(lines[1 + len(layers) :], 2 + len(layers)):
        body.take(row, line)
    text, units = body.end(len(lines))
    spans = _Spans(path, [layer for layer in layers if layer.name in names])
    for unit, span in _placed(units, text, path):
        spans.take(unit, span)
    return WebannoFile(tuple(layers), text, spans.found())


def _minor_version(line: str, path: Path) -> int:
    version = _FORMAT.fullmatch(line)
    if version is None:
        raise FormatError("must begin with #FORMAT=WebAnno TSV 3.3 (or 3.0, 3.1, 3.2)", path, 1)
    return int(version[1])


def _layers(lines: Sequence[str], path: Path) -> list[WebannoLayer]:
    _minor_version(lines[0], path)
    layers: list[WebannoLayer] = []
    first = _FIXED
    for row, line in enumerate(lines[1:], 2):
        if not line.startswith("#T_"):
            break
        declared = _LAYER.fullmatch(line)
        if declared is None:
            raise FormatError(
                "a layer must be declared as #T_SP=, #T_CH= or #T_RL= and its name", path, row
            )
        name, *features = declared[2].split("|")
        # A layer without features has one column all the same.
        columns = tuple(feature for feature in features if feature) or ("",)
        layers.append(WebannoLayer(declared[1], name, columns, first))
        first += len(columns)
    return layers


class _Body:
    """Puts the text together, sentence by sentence, and collects the rows."""

    def __init__(self, path: Path, minor: int, columns: int) -> None:
        self._path = path
        self._minor = minor
        self._columns = columns
        self._text: list[str] = []
        self._length = 0
        self._sentence: list[str] = []
        self._units: list[_Unit] = []

    def take(self, row: int, line: str) -> None:
        if line.startswith("#"):
            if line.startswith(_TEXT):
                try:
                    self._sentence.append(unescape_text(line.removeprefix(_TEXT), self._minor))
                except FormatError as error:
                    raise FormatError(error.problem, self._path, row) from error
        elif line:
            self._units.append(self._unit(row, line))
        elif self._sentence:
            self._wordless(row)

    def end(self, row: int) -> tuple[str, list[_Unit]]:
        if self._sentence:
            self._wordless(row)
        return "".join(self._text), self._units

    def _unit(self, row: int, line: str) -> _Unit:
        cells = line.split("\t")
        if len(cells) < self._columns:
            raise FormatError(
                f"{len(cells)} columns; the header declares {self._columns}", self._path, row
            )
        if _UNIT.fullmatch(cells[0]) is None:
            raise FormatError(
                "a row must begin with sentence and token number, such as 1-2 or 1-2.1",
                self._path,
                row,
            )
        offsets = _RANGE.fullmatch(cells[1])
        if offsets is None:
            raise FormatError("the second column must be offsets, such as 5-12", self._path, row)
        unit = _Unit(row, int(offsets[1]), int(offsets[2]), cells)
        if self._sentence:
            self._start_sentence(unit)
        elif not self._units:
            raise FormatError("tokens without a preceding #Text= line", self._path, row)
        return unit

    def _start_sentence(self, token: _Unit) -> None:
        sentence = "\n".join(self._sentence)
        self._sentence = []
        begin = token.begin
        if not sentence.startswith(token.cells[2]):
            begin -= len(sentence) - len(sentence.lstrip())
        gap = begin - self._length
        if gap < 0:
            raise FormatError(
                f"the sentence begins at {begin}, before the previous one ends at "
                f"{self._length}. Offsets count UTF-16 units of the whole note",
                self._path,
                token.row,
            )
        if gap:
            # What stood between two sentences is not in the file; a line break is likeliest.
            self._text.append("\n" + " " * (gap - 1) if self._text else " " * gap)
        self._text.append(sentence)
        self._length += gap + len(sentence.encode("utf-16-le")) // 2

    def _wordless(self, row: int) -> None:
        raise FormatError(
            "the sentence has no tokens, so its position in the note is unknown", self._path, row
        )


def _placed(units: Sequence[_Unit], text: str, path: Path) -> Iterator[tuple[_Unit, Span]]:
    """The rows with their spans, checked against the characters each repeats."""
    offsets = Offsets(text, OffsetUnit.UTF16)
    for unit in units:
        try:
            span = offsets.span_to_codepoint(unit.begin, unit.end)
        except SpanError as error:
            raise FormatError(str(error), path, unit.row) from error
        there, said = span.of(text), unit.cells[2]
        if said != there and unescape_text(said) != there:
            raise FormatError(
                f"the text at {unit.begin}-{unit.end} of the sentence differs from the third "
                "column. Offsets count UTF-16 units of the whole note",
                path,
                unit.row,
            )
        yield unit, span


class _Spans:
    """Joins the rows of each annotation by its number."""

    def __init__(self, path: Path, layers: Sequence[WebannoLayer]) -> None:
        self._path = path
        self._layers = [(layer, layer.features) for layer in layers]
        self._all: list[tuple[str, list[Span], dict[str, str | None]]] = []
        self._numbered: dict[tuple[str, int], list[Span]] = {}

    def take(self, unit: _Unit, span: Span) -> None:
        for layer, features in self._layers:
            stacks = {name: stack(unit.cells[at]) for name, at in features.items()}
            heights = {len(values) for values in stacks.values() if values}
            if len(heights) > 1:
                raise FormatError(
                    f"the columns of layer {layer.name} have different numbers of values",
                    self._path,
                    unit.row,
                )
            for at in range(max(heights, default=0)):
                level = {name: values[at] for name, values in stacks.items() if values}
                numbers = {number for _, number in level.values() if number is not None}
                if len(numbers) > 1:
                    raise FormatError(
                        f"the columns of layer {layer.name} are stacked in different orders",
                        self._path,
                        unit.row,
                    )
                self._add(
                    layer.name,
                    min(numbers, default=None),
                    span,
                    {name: value for name, (value, _) in level.items()},
                )

    def found(self) -> dict[str, list[WebannoSpan]]:
        found: dict[str, list[WebannoSpan]] = {layer.name: [] for layer, _ in self._layers}
        for name, spans, values in self._all:
            end = max(spans[0].begin, spans[-1].end)
            found[name].append(WebannoSpan(Span(spans[0].begin, end), values))
        return found

    def _add(
        self, layer: str, number: int | None, span: Span, values: dict[str, str | None]
    ) -> None:
        if number is not None and (layer, number) in self._numbered:
            self._numbered[layer, number].append(span)
            return
        spans = [span]
        self._all.append((layer, spans, values))
        if number is not None:
            self._numbered[layer, number] = spans
