"""Trying several values of a setting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.models.test_edits import ward

from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note, OptionError, Span
from auscult.corpus.corpus import Corpus
from auscult.corpus.split import split_at_random
from auscult.engine import Local
from auscult.models.grid_search import GridPoint, choose, search
from auscult.models.model import Model
from auscult.models.training import train


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "corpus"
    split_at_random(ward(), {"train": 0.6, "dev": 0.4}).write(path)
    return path


def test_the_model_of_the_lowest_loss_is_kept(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    given = ["train", str(corpus), str(out), "--model", "linear", "--set", "min_df=1"]
    found = CliRunner().invoke(auscult, [*given, "--grid", "C=0.0001,100", "--json"])
    assert found.exit_code == 0, found.output
    tried = json.loads(found.stdout)["tried"]
    losses = {one["settings"]["C"]: one["loss"] for one in tried}
    assert set(losses) == {0.0001, 100}
    # With so much shrinking nothing is learned.
    assert losses[100] < losses[0.0001]
    assert Model.load(out).about.configuration["C"] == 100
    assert Model.load(out).about.tuning["loss"] == losses[100]
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_processes_find_the_same(corpus: Path, tmp_path: Path) -> None:
    grid: dict[str, list[float]] = {"C": [0.001, 1.0], "min_df": [1]}
    with pytest.warns(UserWarning, match="evidence"):
        _, one = search(corpus, tmp_path / "one", "linear", {}, grid)
    _, two = search(corpus, tmp_path / "two", "linear", {}, grid, engine=Local(2))
    assert one == two
    assert [tried.settings for tried in one] == [
        {"C": 0.001, "min_df": 1},
        {"C": 1.0, "min_df": 1},
    ]


def test_a_slip_is_known_before_anything_is_trained(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="Setting C of"):
        search(corpus, tmp_path / "model", "linear", {}, {"C": [1.0, -1.0]})
    with pytest.raises(OptionError, match="no setting of the model linear 'max_ngrams'"):
        search(corpus, tmp_path / "model", "linear", {}, {"max_ngrams": [1.0]})
    assert not list(tmp_path.iterdir())
    found = CliRunner().invoke(
        auscult, ["train", str(corpus), str(tmp_path / "c"), "--grid", "a=1", "--runs", "2"]
    )
    assert found.exit_code != 0


def test_what_is_left_of_another_search_is_not_taken_for_this_one(
    corpus: Path, tmp_path: Path
) -> None:
    left = tmp_path / ".model.search" / "0"
    config = {"C": 1.0, "min_df": 1}
    with pytest.warns(UserWarning, match="evidence"):
        train(Corpus.open(corpus), left, "linear", config, seed=7)
    with pytest.raises(OptionError, match="left over from another search"):
        search(corpus, tmp_path / "model", "linear", {"min_df": 1}, {"C": [1.0]}, seed=0)
    model, _ = search(corpus, tmp_path / "model", "linear", {"min_df": 1}, {"C": [1.0]}, seed=7)
    assert model.about.seed == 7
    assert not left.exists()


def points(*given: tuple[float, float | None, float | None]) -> list[GridPoint]:
    """Weight, code F1 and evidence F1; the loss falls from one to the next."""
    return [
        GridPoint({"evidence_weight": weight}, 1 - at / 10, code, evidence)
        for at, (weight, code, evidence) in enumerate(given)
    ]


def test_the_best_evidence_is_kept_whose_codes_stay_as_good() -> None:
    """MDACE, appendix D: 0.584 without an evidence loss; 0.585 with λ₁ = 2.5, less with 5."""
    tried = points((0.0, 0.584, 0.40), (1.0, 0.583, 0.42), (2.5, 0.585, 0.47), (5.0, 0.57, 0.49))
    assert choose(tried, "evidence-f1") == 2
    assert choose(tried, "evidence-f1", tolerance=0.02) == 3
    assert choose(tried, "evidence-f1", tolerance=0.0) == 2
    assert choose(tried, "code-f1") == 2
    assert choose(tried, "loss") == 3
    # The baseline is none of the choices, however good its evidence.
    assert choose(points((0.0, 0.58, 0.9), (1.0, 0.58, 0.2)), "evidence-f1") == 1


def test_without_a_value_that_keeps_the_codes_the_nearest_is_kept_with_a_warning() -> None:
    tried = points((0.0, 0.584, 0.40), (1.0, 0.55, 0.42), (5.0, 0.4, 0.49))
    with pytest.warns(UserWarning, match=r"below the 0\.584 .* lower evidence_weight"):
        assert choose(tried, "evidence-f1") == 1


def test_what_is_not_known_cannot_be_compared() -> None:
    with pytest.raises(OptionError, match="no evidence-f1 on held-out notes"):
        choose(points((0.0, 0.5, None), (1.0, 0.5, None)), "evidence-f1")
    # The baseline's own evidence is not asked for.
    assert choose(points((0.0, 0.5, None), (1.0, 0.5, 0.3)), "evidence-f1") == 1


def pointed(path: Path) -> Path:
    """Twenty charts with one of two findings each, and where it is."""
    notes, annotations = [], []
    for at in range(20):
        word, value = (("fever", "R50.9"), ("cough", "R05.9"))[at % 2]
        text = f"Patient {at} came with {word} today."
        begin = text.index(word)
        notes.append(Note(f"n{at}", f"c{at}", subject_id=f"s{at}", text=text))
        span = Span(begin, begin + len(word))
        annotations.append(
            Annotation("gold", Code("ICD-10-CM", value), f"c{at}", f"n{at}", (span,))
        )
    corpus = Corpus.of(notes, annotations)
    split_at_random(corpus, {"train": 0.6, "dev": 0.4}).write(path)
    return path


def test_the_command_trains_the_baseline_first(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    corpus, out = pointed(tmp_path / "corpus"), tmp_path / "model"
    given = ["train", str(corpus), str(out), "--model", "caml", "--evidence", "supervised"]
    small = {"epochs": 2, "out_channels": 8, "embedding_dim": 8, "min_df": 1, "threads": 1}
    for name, value in small.items():
        given += ["--set", f"{name}={value}"]
    grid = ["--grid", "evidence_weight=0.5,2", "--grid-criterion", "evidence-f1"]
    result = CliRunner().invoke(auscult, [*given, *grid, "--grid-tolerance", "1", "--json"])
    assert result.exit_code == 0, result.output
    tried = json.loads(result.stdout)["tried"]
    assert [one["settings"]["evidence_weight"] for one in tried] == [0, 0.5, 2]
    model = Model.load(out)
    best = max(tried[1:], key=lambda one: one["evidence_f1"])
    assert model.about.configuration["evidence_weight"] == best["settings"]["evidence_weight"]
    other = ["train", str(corpus), str(tmp_path / "no"), "--model", "linear", "--grid", "C=1,2"]
    for asked, why in ((given, "needs a grid search. Add"), (other, "no setting evidence_w")):
        refused = CliRunner().invoke(auscult, [*asked, "--grid-criterion", "evidence-f1"])
        assert isinstance(refused.exception, OptionError)
        assert why in str(refused.exception)
