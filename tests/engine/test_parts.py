"""A corpus coded partition by partition: the same bytes, nothing twice, and on after a stop."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from tests.engine.ward import make, ward
from tests.engine.works import Watched

from auscult.cli.main import auscult
from auscult.core import CorpusError, OptionError
from auscult.core.digests import directory_digest
from auscult.corpus.corpus import Corpus
from auscult.corpus.partitioned import annotated
from auscult.corpus.partitions import partitions
from auscult.corpus.schema import iter_notes
from auscult.engine import Local
from auscult.models.model import Model
from auscult.models.predicting import Prediction


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make(tmp_path_factory.mktemp("ward"))


def run(*args: object, fails: bool = False) -> dict[str, Any]:
    found = CliRunner().invoke(auscult, [*map(str, args), "--json"])
    assert (found.exit_code != 0) == fails, found.output
    return {"error": found.exception} if fails else json.loads(found.stdout)


def tables(corpus: Path) -> tuple[bytes, bytes]:
    return (corpus / "notes.parquet").read_bytes(), (corpus / "annotations.parquet").read_bytes()


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("notes", [1, 7, 8, 80, 1000])
def test_partitions_are_whole_charts_in_order(tmp_path: Path, scattered: bool, notes: int) -> None:
    corpus = ward(40, scattered=scattered).write(tmp_path / "corpus")
    cut = partitions(corpus, tmp_path / "folder", notes=notes)
    read = [list(iter_notes(one.read().lazy())) for one in cut]
    charts = [dict.fromkeys(note.chart_id for note in some) for some in read]
    assert [chart for some in charts for chart in some] == corpus.chart_ids()
    by_chart = {chart.chart_id: chart.notes for chart in corpus.charts()}
    found: dict[str, list[Any]] = {}
    for note in (note for some in read for note in some):
        found.setdefault(note.chart_id, []).append(note)
    assert {chart: tuple(some) for chart, some in found.items()} == by_chart
    if notes < 80:
        assert len(cut) > 1
        assert max(map(len, read)) <= notes + 2
    assert len({json.dumps(one.asked) for one in cut}) == len(cut)


def test_a_corpus_that_is_written_anew_is_noticed(tmp_path: Path) -> None:
    corpus = ward(10).write(tmp_path / "corpus")
    cut = partitions(corpus, tmp_path, notes=4)
    ward(11).write(tmp_path / "corpus", overwrite=True)
    with pytest.raises(CorpusError, match="replaced during the run"):
        cut[0].read()


def test_however_many_workers_the_bytes_are_the_same(
    made: tuple[Path, Path], tmp_path: Path
) -> None:
    corpus, model = made
    given = ("predict", model, corpus)
    whole = run(*given, tmp_path / "whole")
    one = run(*given, tmp_path / "one", "--partition", 6)
    two = run(*given, tmp_path / "two", "--partition", 6, "--workers", 2)
    assert tables(tmp_path / "one") == tables(tmp_path / "two")
    # The same as what the model says of everything in one go.
    expected = list(Model.load(model).predict(Corpus.open(corpus).iter_notes()))
    assert len(expected) >= 80
    for name in ("whole", "one"):
        assert list(Corpus.open(tmp_path / name).iter_annotations()) == expected
    names = ("charts", "notes", "codes", "codes_with_evidence", "annotations", "warnings")
    assert [[found[name] for name in names] for found in (one, two)] == [
        [whole[name] for name in names]
    ] * 2
    assert "20 of the 40 charts" in str(one["warnings"])
    assert {file.name for file in tmp_path.iterdir()} == {"whole", "one", "two"}


def test_a_split_of_a_scattered_corpus(made: tuple[Path, Path], tmp_path: Path) -> None:
    ward(40, scattered=True).write(tmp_path / "corpus")
    given = ("predict", made[1], tmp_path / "corpus")
    run(*given, tmp_path / "a", "--split", "test", "--partition", 5, "--workers", 2)
    run(*given, tmp_path / "b", "--split", "test")
    assert tables(tmp_path / "a") == tables(tmp_path / "b")
    assert len(Corpus.open(tmp_path / "a").chart_ids()) == 20


def test_codes_asked_for_and_ranked(made: tuple[Path, Path], tmp_path: Path) -> None:
    given = ("predict", made[1], made[0])
    more = ("--codes-of", "gold", "--ranked", "all", "--never-empty")
    run(*given, tmp_path / "a", *more, "--partition", 9)
    run(*given, tmp_path / "b", *more)
    assert tables(tmp_path / "a") == tables(tmp_path / "b")


def test_terms_are_found_the_same(made: tuple[Path, Path], tmp_path: Path) -> None:
    table = "id,name\nD1,hypertension\nD2,pneumonia\nD3,type 2 diabetes\nD3,diabetes\n"
    (tmp_path / "terms.csv").write_text(table)
    run("vocab", "build", tmp_path / "terms.csv", tmp_path / "terms", "--code-system", "D")
    given = ("vocab", "find", tmp_path / "terms", made[0])
    a = run(*given, tmp_path / "a", "--partition", 7, "--workers", 2)
    b = run(*given, tmp_path / "b")
    assert tables(tmp_path / "a") == tables(tmp_path / "b")
    assert a["annotations"] == b["annotations"] > 80


def test_what_was_finished_is_not_done_again(made: tuple[Path, Path], tmp_path: Path) -> None:
    corpus, model = Corpus.open(made[0]), made[1]
    traces = tmp_path / "traces"
    traces.mkdir()
    how = Prediction(model, directory_digest(model))
    watched = Watched(model, how.digest, traces=traces)
    out = tmp_path / "out"
    engine = Local()

    class Stopped(Local):
        """Is interrupted after three partitions."""

        def run(self, work: Any, tasks: Any) -> Any:
            for number, result in enumerate(super().run(work, tasks), 1):
                yield result
                if number == 3:
                    raise KeyboardInterrupt

    def annotate(how: Any, engine: Local, **options: Any) -> pl.DataFrame:
        with annotated(corpus, how, out, engine, notes=10, **options) as (table, counts):
            assert counts["notes"] == 80
            found = table.collect()
            assert counts["annotations"] == found.height
            return found

    with pytest.raises(KeyboardInterrupt):
        annotate(watched, Stopped())
    assert len(list(traces.iterdir())) == 3
    # Another model, or other options, are not mistaken for it.
    kept = tmp_path / "kept"
    shutil.copytree(tmp_path / ".out.parts", kept)
    other = annotate(replace(watched, annotator="me"), engine)
    assert set(other["annotator"]) == {"me"}
    assert len(list(traces.iterdir())) == 3 + 8
    shutil.copytree(kept, tmp_path / ".out.parts")
    # One that was cut short is done again.
    damaged = min((tmp_path / ".out.parts").glob("part-*"))
    damaged.write_bytes(damaged.read_bytes()[:-100])
    again = annotate(watched, engine)
    assert len(list(traces.iterdir())) == 11 + 8 - 2
    assert not (tmp_path / ".out.parts").exists()
    assert again.equals(annotate(how, engine))


def test_a_model_that_changes_in_between_is_noticed(
    made: tuple[Path, Path], tmp_path: Path
) -> None:
    corpus = Corpus.open(made[0])
    model = tmp_path / "model"
    shutil.copytree(made[1], model)
    how = Prediction(model, directory_digest(model))
    with (model / "model.json").open("a") as handle:
        handle.write("\n")
    with (
        pytest.raises(OptionError, match="changed during the run"),
        annotated(corpus, how, tmp_path / "out", Local()),
    ):
        pass
    assert {file.name for file in tmp_path.iterdir()} == {"model"}


def test_one_process_at_a_time(made: tuple[Path, Path], tmp_path: Path) -> None:
    corpus, how = Corpus.open(made[0]), Prediction(made[1], directory_digest(made[1]))
    with annotated(corpus, how, tmp_path / "out", Local()) as (_, counts):
        assert counts["charts"] == 40
        found = run("predict", made[1], made[0], tmp_path / "out", fails=True)
    assert "Another process is writing" in str(found["error"])
