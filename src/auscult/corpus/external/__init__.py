"""What other systems found in the notes of a corpus, as annotations beside the gold ones."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from auscult.core import Annotation, Code, FormatError, Note, OptionError, Span, Unit
from auscult.core.names import require_known, shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.external.loading import kind
from auscult.corpus.external.offsets import CONVENTIONS, Convention, conventions_on
from auscult.corpus.external.row import Row

_MODULES = {
    "ctakes": "ctakes",
    "metamap": "metamap",
    "quickumls": "listed",
    "medcat": "listed",
    "scispacy": "listed",
}
TOOLS = tuple(_MODULES)
_PLAIN = CONVENTIONS[0]
_LEAST = 0.5
"""The share of quotes that must fit for the notes to be those that the system read."""
_UNKNOWN = "on notes that are not in the corpus"
_PAST = "that point past their note, or into a character"
_MISFIT = "that quote something else than is there"
_TWICE = "that say the same as another"


def read_external(
    tool: str,
    source: Path,
    notes: Iterable[Note],
    *,
    annotator: str | None = None,
    system: str = "UMLS",
    offsets: Unit | None = None,
) -> list[Annotation]:
    """The annotations in a system's output file, or in a folder of such files.

    What offsets count is found out from what the output quotes; `offsets` overrules it. Rows on
    notes that are not there, rows that quote something else than is there, that point past their
    note or say the same twice are left out, and counted in warnings. So are rows that quote
    nothing, which have to be believed. Notes are read one at a time.
    """
    require_known(tool, TOOLS, "system")
    rows = list(_rows(tool, source))
    by_note: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        by_note.setdefault(row.note_id, []).append(at)
    placed: dict[int, _Placed] = {}
    for note in notes:
        for at in by_note.pop(note.note_id, ()):
            placed[at] = _place(rows[at], note)
    way = _PLAIN if offsets is None else Convention(offsets)
    if offsets is None:
        way = _found_out(tool, source, rows, placed)
    else:
        _say_misfits(tool, way, placed.values())
    _say_unchecked(tool, way, placed.values(), is_told=offsets is not None)
    left = Counter({_UNKNOWN: len(rows) - len(placed)})
    made: dict[tuple[Any, ...], Annotation] = {}
    for at, one in sorted(placed.items()):
        row, spans = rows[at], one.spans.get(way)
        key = (row.note_id, spans, row.code)
        if spans is None:
            left[_PAST] += 1
        elif offsets is None and one.is_quoting and way not in one.fitting:
            left[_MISFIT] += 1
        elif key in made:
            left[_TWICE] += 1
        else:
            made[key] = Annotation(
                annotator or tool,
                Code(system, row.code),
                one.chart_id,
                row.note_id,
                spans,
                row.score,
                meta=dict(row.meta),
            )
    if rows and not made:
        raise _nothing(source, rows, +left)
    for what, count in (+left).items():
        warnings.warn(f"{source}: {count:,} of {len(rows):,} rows {what}: left out.", stacklevel=2)
    return list(made.values())


def require_unsigned(corpus: Corpus, annotator: str) -> None:
    """An error when somebody of that name annotated the corpus already: who said what is lost."""
    signed = corpus.annotations.filter(pl.col("annotator") == annotator)
    count = signed.select(pl.len()).collect().item()
    if count:
        raise OptionError(
            f"{count:,} annotations of the corpus are signed {annotator} already, and what is "
            "added could not be told from them. Sign it otherwise: --annotator NAME."
        )


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where a row is by each way of counting, and by which it quotes what is there."""

    chart_id: str
    is_quoting: bool
    spans: Mapping[Convention, tuple[Span, ...]]
    fitting: frozenset[Convention] = field(default=frozenset())
    exact: frozenset[Convention] = field(default=frozenset())


def _place(row: Row, note: Note) -> _Placed:
    if note.text is None:
        raise OptionError(
            f"Note {note.note_id} has no text, which the offsets of another system need. Merge the "
            "notes with their text first: auscult corpus merge"
        )
    spans: dict[Convention, tuple[Span, ...]] = {}
    fitting: list[Convention] = []
    exact: list[Convention] = []
    for way, alike in conventions_on(note.text):
        found = way.spans(row.ranges, note.text)
        if found is not None:
            spans |= dict.fromkeys(alike, found)
        if row.quote and way.fits(row, note.text):
            fitting += alike
            exact += alike if way.fits_exactly(row, note.text) else []
    return _Placed(note.chart_id, bool(row.quote), spans, frozenset(fitting), frozenset(exact))


def _found_out(
    tool: str, source: Path, rows: Sequence[Row], placed: Mapping[int, _Placed]
) -> Convention:
    """How rows count, by what they quote; says so when it is not in plain code points."""
    telling = [one for one in placed.values() if one.is_quoting]
    if not telling:
        return _PLAIN
    fits = Counter(way for one in telling for way in one.fitting)
    exact = Counter(way for one in telling for way in one.exact)
    best = max(CONVENTIONS, key=lambda way: (fits[way], exact[way], -CONVENTIONS.index(way)))
    if fits[best] < _LEAST * len(telling):
        first = next(at for at, one in sorted(placed.items()) if one.is_quoting)
        raise FormatError(
            f"of {len(telling):,} rows of {tool} that quote their text, at most {fits[best]:,} "
            "quote what is there, however the offsets are counted: the notes are not those that "
            "the system read",
            rows[first].file or source,
            rows[first].number,
        )
    if best != _PLAIN:
        warnings.warn(
            f"The offsets of {tool} count {best}: so {fits[best]:,} of {len(telling):,} quotes "
            f"fit, against {fits[_PLAIN]:,} in code points. They were converted.",
            stacklevel=3,
        )
    return best


def _say_misfits(tool: str, way: Convention, placed: Iterable[_Placed]) -> None:
    quoting = [one for one in placed if one.is_quoting]
    odd = sum(way not in one.fitting for one in quoting)
    if odd:
        warnings.warn(
            f"{odd:,} of {len(quoting):,} quotes of {tool} do not fit offsets in {way}, as asked "
            "for. They were kept all the same.",
            stacklevel=3,
        )


def _say_unchecked(tool: str, way: Convention, placed: Iterable[_Placed], *, is_told: bool) -> None:
    quoting = [one.is_quoting for one in placed]
    unchecked = len(quoting) - sum(quoting)
    if unchecked and not is_told:
        warnings.warn(
            f"{unchecked:,} of {len(quoting):,} rows of {tool} quote no text, so their offsets "
            f"could not be checked. They were taken to count {way}; if they count something else, "
            "say so with --offsets.",
            stacklevel=3,
        )


def _nothing(source: Path, rows: Sequence[Row], left: Mapping[str, int]) -> FormatError:
    """Why nothing is left."""
    if left.get(_UNKNOWN) == len(rows):
        return FormatError(
            "nothing in it is on a note of the corpus. Files or rows are called after notes: "
            f"{shown(rows[0].note_id)} was looked for",
            source,
        )
    reasons = "; ".join(f"{count:,} {what}" for what, count in left.items())
    return FormatError(
        f"none of its {len(rows):,} rows can be used: {reasons}. Check that the corpus holds the "
        "texts that the system read, and what its offsets count (--offsets)",
        source,
    )


def _rows(tool: str, source: Path) -> Iterator[Row]:
    module = import_module(f"{__name__}.{_MODULES[tool]}")
    suffixes: tuple[str, ...] = module.SUFFIXES
    files = [source]
    if source.is_dir():
        files = sorted(p for p in source.rglob("*") if kind(p) in suffixes and p.is_file())
        if not files:
            raise FormatError(f"no file in the folder ends in {', '.join(suffixes)}", source)
    elif not source.exists():
        raise OptionError(f"{source} does not exist.")
    for file in track(files, f"reading {tool}", len(files)):
        yield from module.read(file)
