"""Every format goes through this one suite: its shape, its round trips, its errors."""

from __future__ import annotations

import inspect
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.exceptions import PolarsError
from tests.contracts.corpora import ANYTHING, HELD, MARKER, WAYS, beyond, corpora, sample
from tests.examples import TIMES, examples

from auscult.core import AuscultError, OptionError
from auscult.corpus import Corpus, formats
from auscult.corpus.compare import differences
from auscult.corpus.formats import FORMATS, FormatOptions, Loss
from auscult.corpus.schema import NOTES

_SLOW = settings(
    deadline=None,
    max_examples=examples(25),
    derandomize=TIMES == 1,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
FEW = settings(_SLOW, max_examples=examples(4))
every_format = pytest.mark.parametrize("name", FORMATS)


def _back(name: str, corpus: Corpus) -> tuple[Corpus, list[Loss]]:
    """The corpus after it was written and read, and what writing said was lost."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        losses = formats.write(name, corpus, Path(folder, "out"))
        untold = [loss for loss in losses if loss.what == "notes without text"]
        gone = sum(loss.count for loss in untold if loss.became == "left out")
        if gone == corpus.notes.height:
            return Corpus.of(), losses  # nothing was there to be written
        read = formats.read(name, Path(folder, "out"))
        return _in_memory(read), losses


def _in_memory(corpus: Corpus) -> Corpus:
    records = None if corpus.records is None else corpus.records
    return Corpus.of(corpus.iter_notes(), corpus.iter_annotations(every_status=True), records)


def _explained(column: str, losses: Sequence[Loss]) -> bool:
    """Whether a loss names the column; ids of annotations follow those of their notes."""
    named = {loss.column for loss in losses}
    by = {column}
    if column.endswith("_id"):
        by |= {column.replace("annotations.", "notes."), column.replace("notes.", "annotations.")}
    if column.endswith(".chart_id"):
        by.add("notes.note_id")
    return bool(named & by)


def _folded(rows: pl.DataFrame, losses: Sequence[Loss]) -> pl.DataFrame:
    """The rows with the characters that a loss says were replaced, wherever they are."""
    became = " ".join(loss.became for loss in losses)
    strings = pl.col(pl.String)
    if "become spaces" in became:
        strings = strings.str.replace_all(r"[\r\x00]|\\r|\\u0000", " ")
    if "U+FFFD" in became:
        controls = r"[\x00-\x08\x0b\x0c\x0e-\x1f]|\\(?:u00[01][0-9a-f]|b|f)"
        strings = strings.str.replace_all(controls, "\ufffd")
    return rows.with_columns(strings)


def _unexplained(before: Corpus, after: Corpus, losses: Sequence[Loss]) -> Iterator[str]:
    """The differences that no loss speaks of."""
    for table, one, other in (
        ("notes", before.lazy_notes, after.lazy_notes),
        ("annotations", before.lazy_all_annotations, after.lazy_all_annotations),
    ):
        flat = [pl.col("read_by").list.join("; ")] if table == "notes" else []
        rows, others = (frame.with_columns(flat).collect() for frame in (one, other))
        rows, others = _folded(rows, losses), _folded(others, losses)
        gone = sum(loss.count for loss in losses if loss.column in (table, f"{table}.status"))
        if rows.height != others.height and rows.height - others.height > gone:
            yield f"{table}: {rows.height} became {others.height}"
        # whatever is read back must have been there, in all that no loss speaks of
        kept = [column for column in rows.columns if not _explained(f"{table}.{column}", losses)]
        there = Counter(map(repr, rows.select(kept).rows()))
        read = Counter(map(repr, others.select(kept).rows()))
        many_to_one = table == "annotations" and _explained("annotations.spans", losses)
        new = set(read) - set(there) if many_to_one else read - there
        if new:
            yield f"{table}: {len(new)} that were not there, by {', '.join(kept)}"


def drawn(name: str, way: str, data: st.DataObject) -> Corpus:
    """A corpus that goes beyond what a format holds in one way, or in every way."""
    return data.draw(corpora(ANYTHING if way == "every" else beyond(name, way)))


def unnamed(name: str, corpus: Corpus) -> Iterator[str]:
    """What differs after writing and reading and no loss names, and losses that say nothing."""
    read, losses = _back(name, corpus)
    if not losses:
        yield from differences(corpus, read)
    yield from _unexplained(corpus, read, losses)
    yield from (str(loss) for loss in losses if not (loss.count > 0 and loss.what and loss.became))


@every_format
def test_shape(name: str) -> None:
    module = formats.load(name)
    assert module.__doc__
    assert len(module.__doc__.splitlines()[0]) <= 110, "the first line is the command's short help"
    for side in (module.ReadOptions, module.WriteOptions):
        assert issubclass(side, FormatOptions)
        assert side.__doc__
        for option, said in side.model_fields.items():
            assert said.description, f"option {option} has no help"
            assert not said.is_required(), f"option {option} has no default"
    assert list(inspect.signature(module.read).parameters) == ["source", "options"]
    assert list(inspect.signature(module.write).parameters) == ["corpus", "target", "options"]
    assert module.read.__doc__
    assert module.write.__doc__


@every_format
@_SLOW
@given(data=st.data())
def test_what_it_can_hold_comes_back(name: str, data: st.DataObject) -> None:
    corpus = data.draw(corpora(HELD[name]))
    read, losses = _back(name, corpus)
    assert losses == []
    assert differences(corpus, read) == []


@every_format
@pytest.mark.parametrize("way", [*WAYS, "every"])
@FEW
@given(data=st.data())
def test_every_difference_is_named_by_a_loss(name: str, way: str, data: st.DataObject) -> None:
    assert list(unnamed(name, drawn(name, way, data))) == []


@every_format
def test_what_is_not_there_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(AuscultError, match="does not exist"):
        formats.read(name, tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    with pytest.raises(AuscultError, match="folder"):
        formats.read(name, tmp_path / "folder")


@every_format
@pytest.mark.parametrize("content", [b"", bytes(range(256)) * 20], ids=["empty", "binary"])
def test_a_file_that_is_no_such_format_is_an_error(
    name: str, content: bytes, tmp_path: Path
) -> None:
    formats.write(name, sample(name), tmp_path / "out")
    written = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    suffixes = {".".join(["", *path.name.split(".")[1:]]) for path in written if path.is_file()}
    for suffix in sorted({"", *suffixes}):
        file = tmp_path / f"file{suffix}"
        file.write_bytes(content)
        with pytest.raises(AuscultError) as caught:
            _in_memory(formats.read(name, file))
        assert str(file) in str(caught.value)
        assert "\0" not in str(caught.value)


@every_format
def test_a_failed_write_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    def fail(_: pl.DataFrame) -> pl.DataFrame:
        raise AuscultError("no more")

    corpus = sample(name)
    broken = replace(corpus, lazy_notes=corpus.lazy_notes.map_batches(fail, schema=NOTES))
    with pytest.raises((AuscultError, PolarsError), match="no more"):
        formats.write(name, broken, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@every_format
def test_what_exists_is_not_overwritten(name: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    with pytest.raises(AuscultError, match="exists already"):
        formats.write(name, sample(name), tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]
    (tmp_path / "out" / "mine").unlink()
    formats.write(name, sample(name), tmp_path / "out")


@every_format
def test_nothing_shows_the_text(name: str, tmp_path: Path) -> None:
    corpus = sample(name)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        losses = formats.write(name, corpus, tmp_path / "out")
        read = formats.read(name, tmp_path / "out")
        notes, annotations = list(read.iter_notes()), list(read.iter_annotations())
    assert all(MARKER in (note.text or "") for note in notes), "the sample must show something"
    shown = [*map(str, losses), *map(repr, notes), *map(repr, annotations), repr(read)]
    shown += [str(warning.message) for warning in warned]
    assert MARKER not in " ".join(shown)


@every_format
def test_unknown_options_are_refused(name: str, tmp_path: Path) -> None:
    formats.write(name, sample(name), tmp_path / "out")
    with pytest.raises(OptionError, match="color"):
        formats.read(name, tmp_path / "out", color="red")
    with pytest.raises(OptionError, match="color"):
        formats.write(name, sample(name), tmp_path / "again", color="red")
    assert not (tmp_path / "again").exists()
