"""Import the output of other systems (cTAKES, MetaMap, QuickUMLS, …) as annotations of a corpus."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from auscult.core import Annotation, Code, FormatError, Note, OffsetUnit, OptionError, Span
from auscult.core.names import require_known, shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.external.loading import kind
from auscult.corpus.external.offsets import CONVENTIONS, Convention, conventions_on
from auscult.corpus.external.row import ExternalRow

_MODULES = {
    "ctakes": "ctakes",
    "metamap": "metamap",
    "quickumls": "match_lists",
    "medcat": "match_lists",
    "scispacy": "match_lists",
}
TOOLS = tuple(_MODULES)
_PLAIN = CONVENTIONS[0]
_LEAST = 0.5
"""The share of quoted texts that must match; below it the system annotated another corpus."""
_UNKNOWN = "on notes that are not in the corpus"
_PAST = "with offsets past the end of their note, or in the middle of a character"
_MISFIT = "whose quoted text differs from the note"
_TWICE = "that repeat another row"


def read_external(
    tool: str,
    source: Path,
    notes: Iterable[Note],
    *,
    annotator: str | None = None,
    system: str = "UMLS",
    offsets: OffsetUnit | None = None,
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


def require_new_annotator(corpus: Corpus, annotator: str) -> None:
    """Raise an error if the corpus already has annotations by that annotator."""
    signed = corpus.lazy_annotations.filter(pl.col("annotator") == annotator)
    count = signed.select(pl.len()).collect().item()
    if count:
        raise OptionError(
            f"{count:,} annotations of the corpus are already by an annotator called "
            f"{annotator}. Choose another name for the new ones: --sign-as NAME."
        )


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where a row is by each way of counting, and by which it quotes what is there."""

    chart_id: str
    is_quoting: bool
    spans: Mapping[Convention, tuple[Span, ...]]
    fitting: frozenset[Convention] = field(default=frozenset())
    exact: frozenset[Convention] = field(default=frozenset())


def _place(row: ExternalRow, note: Note) -> _Placed:
    if note.text is None:
        raise OptionError(
            f"Note {note.note_id} has no text, which is needed to interpret offsets. Add the "
            "text first: auscult corpus merge"
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
    tool: str, source: Path, rows: Sequence[ExternalRow], placed: Mapping[int, _Placed]
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
            f"of {len(telling):,} rows of {tool} with quoted text, at most {fits[best]:,} match "
            "the notes under any offset convention: the corpus is not the one that the system "
            "annotated",
            rows[first].file or source,
            rows[first].number,
        )
    if best != _PLAIN:
        warnings.warn(
            f"The offsets of {tool} count {best}: {fits[best]:,} of {len(telling):,} quoted "
            f"texts match that way, {fits[_PLAIN]:,} with code points. The offsets were "
            "converted.",
            stacklevel=3,
        )
    return best


def _say_misfits(tool: str, way: Convention, placed: Iterable[_Placed]) -> None:
    quoting = [one for one in placed if one.is_quoting]
    odd = sum(way not in one.fitting for one in quoting)
    if odd:
        warnings.warn(
            f"{odd:,} of {len(quoting):,} quoted texts of {tool} do not match the notes with "
            f"offsets in {way}, as requested. The rows were kept anyway.",
            stacklevel=3,
        )


def _say_unchecked(tool: str, way: Convention, placed: Iterable[_Placed], *, is_told: bool) -> None:
    quoting = [one.is_quoting for one in placed]
    unchecked = len(quoting) - sum(quoting)
    if unchecked and not is_told:
        warnings.warn(
            f"{unchecked:,} of {len(quoting):,} rows of {tool} have no quoted text, so their "
            f"offsets could not be verified. They were read as {way}; if they count another "
            "unit, pass --offsets.",
            stacklevel=3,
        )


def _nothing(source: Path, rows: Sequence[ExternalRow], left: Mapping[str, int]) -> FormatError:
    """Why nothing is left."""
    if left.get(_UNKNOWN) == len(rows):
        return FormatError(
            "no row belongs to a note of the corpus. Files or rows must be named after note "
            f"ids; the first one names note {shown(rows[0].note_id)}",
            source,
        )
    reasons = "; ".join(f"{count:,} {what}" for what, count in left.items())
    return FormatError(
        f"none of its {len(rows):,} rows can be used: {reasons}. Check that the corpus has the "
        "texts that the system annotated, and which unit its offsets count (--offsets)",
        source,
    )


def _rows(tool: str, source: Path) -> Iterator[ExternalRow]:
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
