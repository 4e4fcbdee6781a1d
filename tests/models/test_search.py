"""Trying several values of a setting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.models.test_edits import ward

from auscult.cli.main import auscult
from auscult.core import OptionError
from auscult.corpus.corpus import Corpus
from auscult.corpus.split import split_at_random
from auscult.engine import Local
from auscult.models.grid_search import search
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
