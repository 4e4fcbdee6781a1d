"""The coders of the 2007 challenge as systems, on the part of its training data that is here."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.challenge.simulated import write

from auscult.agreement.reference import against
from auscult.challenge import create, leaderboard, score_files, submit
from auscult.challenge.submission.read_xml import schema_text
from auscult.corpus import Corpus, formats
from auscult.corpus.combinations import combinations
from auscult.corpus.sampling import SamplingPlan, sample
from auscult.corpus.split_combinations import split_by_combination

pytestmark = pytest.mark.real
GOLD = "CMC_MAJORITY"
COMPANIES = ("COMPANY1", "COMPANY2", "COMPANY3")


@pytest.fixture(scope="module")
def file(shared_data: Path) -> Path:
    return shared_data / "cmc2007" / "dev.xml"


@pytest.fixture(scope="module")
def corpus(file: Path) -> Corpus:
    return formats.read("cmc", file)


def test_scores_are_those_of_the_agreement_against_the_majority(file: Path, corpus: Corpus) -> None:
    """Two ways to the same numbers, and the paper's order: its hospital is best by cost only."""
    other = against(corpus, GOLD, COMPANIES, times=0)
    cost = {}
    for name in COMPANIES:
        found = score_files(file, file, origin=name, times=0)
        assert found.annotator == GOLD
        assert found.score is not None
        for metric in ("micro_f1", "cost_sensitive"):
            assert found.score.values()[metric] == pytest.approx(other[name][metric].value)
        cost[name] = found.score.values()["cost_sensitive"]
    assert cost["COMPANY3"] > cost["COMPANY2"] > cost["COMPANY1"]  # type: ignore[operator]  # numbers


def test_the_challenges_own_file_is_valid_by_our_schema(file: Path) -> None:
    import xmlschema

    assert xmlschema.XMLSchema(schema_text()).is_valid(str(file))


def test_the_split_of_the_paper(corpus: Corpus) -> None:
    kept = sample(corpus, SamplingPlan(annotator=GOLD, coded=True))
    assert [(step.removed, step.left) for step in kept.steps] == [(0, 699), (0, 699)]
    made = split_by_combination(kept.corpus, {"train": 0.5, "test": 0.5}, GOLD, by="chart")
    train, test = (
        set(combinations(made.select(splits=[name]), GOLD).values()) for name in ("train", "test")
    )
    assert test < train
    # As in the paper: what occurs once is in train, and is not in test.
    counted: dict[frozenset[object], int] = {}
    for codes in combinations(corpus, GOLD).values():
        counted[codes] = counted.get(codes, 0) + 1
    assert not any(counted[codes] == 1 for codes in test)


def test_three_companies_as_teams(corpus: Corpus, tmp_path: Path) -> None:
    made = split_by_combination(corpus, {"train": 0.5, "test": 0.5}, GOLD, by="chart")
    codes = {a.code for a in corpus.iter_annotations()}
    task = create(made, tmp_path / "task", gold=GOLD, codes=codes)
    test = made.select(splits=["test"])
    for number, name in enumerate(COMPANIES):
        form = ("xml", "csv", "json")[number]
        run = write(combinations(test, name), tmp_path / f"run.{form}")
        assert submit(task, name, run).problems == ()
    found = leaderboard(task, times=200)
    assert [row.rank for row in found.rows] == [1, 2, 3]
    assert found.rows[0].name == "COMPANY2"
    for row in found.rows:
        interval = row.metrics["micro_f1"].interval
        assert interval is not None
        assert interval[1] - interval[0] < 0.1
