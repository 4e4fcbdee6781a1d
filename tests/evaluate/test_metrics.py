"""One registry of metrics: built in, of the caller's own, and of other packages."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.contracts.test_models import ward

from auscult.cli.main import auscult
from auscult.core import Annotation, AuscultError, Code
from auscult.core.metric_definition import MetricDefinition
from auscult.corpus import Corpus
from auscult.evaluate import code_metrics, compare_codes, pair
from auscult.evaluate.metrics import registry
from auscult.evaluate.sides import Sides
from auscult.evaluate.system_ranking import analyze, rank_systems
from auscult.report.challenge_report import challenge_report

_SOURCE = '''
def first_code_right(sides):
    """Share of the charts whose first gold code was predicted."""
    gold, given = sides.codes()
    return [min(g) in p for g, p in zip(gold, given, strict=True)], [1 for _ in gold]

def clumsy(sides):
    """Fails."""
    raise RuntimeError(sides.annotator + " said something of a patient")
'''
_ENTRIES = """[auscult.metrics]
first_code_right = their_metrics:first_code_right
clumsy = their_metrics:clumsy
micro_f1 = their_metrics:clumsy
"""


def said(who: str, *charts: str) -> Corpus:
    """A code for each letter of each chart."""
    return Corpus.of(
        [],
        [
            Annotation(who, Code("CPT", letter), f"chart {at}")
            for at, letters in enumerate(charts)
            for letter in letters
        ],
    )


@pytest.fixture
def sides() -> Sides:
    return pair(said("gold", "ab", "b", "c"), said("model", "a", "bc", "d"))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with metrics: one sound, one that fails, one with a name of Auscult's own."""
    place = tmp_path / "installed"
    about = place / "their_package-0.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text(_ENTRIES)
    (place / "their_metrics.py").write_text(_SOURCE)
    monkeypatch.syspath_prepend(str(place))
    yield
    sys.modules.pop("their_metrics", None)


def run(*words: object) -> dict[str, Any]:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_results_are_what_the_registry_says(sides: Sides) -> None:
    found = code_metrics(sides, times=0).metrics
    known = registry.builtin()
    assert list(found) == list(known) == list(registry.definitions())
    assert {name: m.definition for name, m in found.items()} == {
        name: one.definition for name, one in known.items()
    }
    assert all(one.label and one.undefined for one in known.values())
    assert sum(len(family.metrics) for family in registry.families()) == len(known)


def test_a_metric_of_ones_own_needs_no_package(sides: Sides) -> None:
    def longest(sides: Sides) -> tuple[list[int], list[int]]:
        """Predicted codes a chart."""
        _, given = sides.codes()
        return [len(codes) for codes in given], [1] * len(given)

    first = code_metrics(sides, metrics={"codes_a_chart": longest}, times=20)
    metric = first.metrics["codes_a_chart"]
    assert (metric.value, metric.definition) == (4 / 3, "Predicted codes a chart.")
    assert metric.interval is not None
    assert first.to_dict()["codes_a_chart"] == 4 / 3
    other = pair(said("gold", "ab", "b", "c"), said("model", "a", "b", ""))
    second = code_metrics(other, metrics={"codes_a_chart": longest}, times=0)
    [compared] = [c for c in compare_codes(first, second) if c.name == "codes_a_chart"]
    assert (compared.first, compared.second) == (4 / 3, 2 / 3)
    with pytest.raises(AuscultError, match="has a metric micro_f1 already"):
        code_metrics(sides, metrics={"micro_f1": longest})


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings("ignore:micro_f1 .* is left out")
def test_a_plug_in_is_in_every_result(sides: Sides) -> None:
    plain = code_metrics(sides, times=20)
    assert plain.metrics["first_code_right"].value == 2 / 3
    assert plain.metrics["micro_f1"].definition == registry.builtin()["micro_f1"].definition
    failed = plain.metrics["clumsy"]
    # What it said may quote a note, so only the kind of error is told.
    assert failed.undefined == "the plug-in failed with RuntimeError"
    compared = {one.name for one in compare_codes(plain, plain, times=20)}
    assert "first_code_right" in compared
    assert "clumsy" not in compared


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings("ignore:micro_f1 .* is left out")
def test_a_plug_in_is_on_the_page_of_a_model(tmp_path: Path) -> None:
    ward(60).write(tmp_path / "ward")
    run("train", tmp_path / "ward", tmp_path / "model", "--model", "linear")
    where = (tmp_path / "ward", tmp_path / "said", tmp_path / "page.html")
    run("predict", tmp_path / "model", *where[:2], "--split", "test")
    found = run("report", *where, "--bootstrap", 0)
    evaluated = run("evaluate", "codes", *where[:2], "--split", "test", "--bootstrap", 0)
    assert found["codes"]["first_code_right"] == evaluated["first_code_right"] > 0
    page = where[2].read_text("utf-8")
    assert "first_code_right" in page
    assert "Share of the charts whose first gold code was predicted." in page
    assert "the plug-in failed with RuntimeError" in page


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings("ignore:micro_f1 .* is left out")
def test_a_plug_in_is_in_the_score_and_the_ranking_of_a_challenge(tmp_path: Path) -> None:
    gold = {str(n): {Code("CPT", c) for c in codes} for n, codes in enumerate(("ab", "b", "c"))}
    team = {str(n): {Code("CPT", c) for c in codes} for n, codes in enumerate(("a", "bc", "d"))}
    for name, answers in (("gold", gold), ("team", team)):
        rows = [f"{chart},{code.value}" for chart in answers for code in sorted(answers[chart])]
        (tmp_path / f"{name}.csv").write_text("\n".join(["document,code", *rows, ""]))
    score = run("challenge", "score", tmp_path / "gold.csv", tmp_path / "team.csv")
    assert score["first_code_right"] == 2 / 3
    assert score["definitions"]["first_code_right"].startswith("Share of the charts")
    assert "clumsy" in score["undefined"]
    ranking = rank_systems(gold, {"team": team, "best": gold}, times=20)
    assert [row.metrics["first_code_right"].value for row in ranking.rows] == [1, 2 / 3]
    challenge_report(ranking, analyze(ranking), tmp_path / "page.html", name="ours")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert '<th class="n">first code right</th>' in page
    assert "0.667" in page


def test_a_definition_makes_metrics() -> None:
    one = MetricDefinition("share", "a / b", undefined="there is no b")
    assert one.metric(0.5, (0.4, 0.6), 3).interval == (0.4, 0.6)
    assert one.metric(0.5, (np.nan, np.nan)).interval is None
    assert one.metric(np.nan).undefined == "there is no b"
    assert one.without("nobody looked").undefined == "nobody looked"
