"""On the open data the printed numbers come out; on made-up data as if real, they are judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.reproduce.small import work_in

from auscult.corpus import Corpus, formats
from auscult.reproduce.contract import Basis
from auscult.reproduce.registry import named
from auscult.reproduce.run import ReproductionResult, run
from auscult.reproduce.summary import VerdictCounts
from auscult.reproduce.verdict import Kind, Verdict
from auscult.synth import hospital


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduce") / "hospital"
    hospital.make_hospital(folder, patients=24, seed=3, readmission_effect=4.0)
    return folder


def several(names: Iterable[str], folder: Path, **sources: Path) -> list[ReproductionResult]:
    results = list(run(map(named, names), work_in(folder, **sources)))
    assert [one.failed for one in results if one.failed] == []
    return results


def only(name: str, folder: Path, **sources: Path) -> ReproductionResult:
    [result] = several([name], folder, **sources)
    return result


MDACE = {
    "mdace-table-1": (6, 2),
    "mdace-table-3": (12, 2),
    "mdace-table-4": (22, 0),
    "mdace-table-5": (2, 12),
    "mdace-table-6": (22, 0),
    "mdace-table-8": (15, 0),
}
"""How many numbers need no note text, and how many do."""


@pytest.mark.real
def test_mdace_from_its_own_annotations(shared_data: Path, tmp_path: Path) -> None:
    """Every number that needs no note text is the printed one; the others are of a stand-in."""
    for result in several(MDACE, tmp_path / "work", mdace=shared_data / "mdace"):
        exact, needs_text = MDACE[result.reproduction.name]
        verdicts = list(result.verdicts.values())
        assert verdicts.count(Verdict.IN_BAND) == exact
        assert verdicts.count(Verdict.STAND_IN) == needs_text
        assert exact + needs_text == len(verdicts)
        assert (result.stand_in is None) == (needs_text == 0)


@pytest.mark.real
def test_the_challenge_from_its_own_reports(shared_data: Path, tmp_path: Path) -> None:
    result = only("challenge-table-3", tmp_path / "work", cmc=shared_data / "cmc2007" / "dev.xml")
    # A part of the paper's documents: shown with an interval, and not judged.
    assert set(result.verdicts.values()) == {Verdict.OPEN_DATA}
    assert len(result.inside) == 9
    assert {one.kind for one in result.claim_results} == {Kind.OPEN_DATA}
    assert result.stand_in is None


def test_with_mimic_and_mdace_on_disk_the_real_thing_runs(made: Path, tmp_path: Path) -> None:
    """The same files, unchanged; here on tables that only look as if they were MIMIC-III's."""
    names = [f"mdace-table-{number}" for number in (1, 3, 5, 9, 10)]
    sources = {"mimic3": made / "mimic3", "mdace": made / "mdace"}
    for result in several(names, tmp_path / "work", **sources):
        assert result.found is not None
        assert {one.basis for one in result.found.numbers.values()} == {Basis.REAL}
        assert result.stand_in is None
        assert Verdict.STAND_IN not in result.verdicts.values()
        # A hospital of 24 patients is not MIMIC-III, and the verdicts say so.
        assert {Verdict.TOO_LOW, Verdict.TOO_HIGH} & set(result.verdicts.values())


def test_a_classifier_of_real_notes_is_judged_and_a_small_bert_is_not(
    made: Path, tmp_path: Path
) -> None:
    result = only("sensitivity-table-1", tmp_path / "work", mimic3=made / "mimic3")
    assert result.found is not None
    bases = {key: one.basis for key, one in result.found.numbers.items()}
    assert bases["Notes · all"] is bases["tf-idf+xgb · AUROC"] is Basis.REAL
    assert bases["BioClinicalBERT · AUROC"] is Basis.STAND_IN
    assert result.verdicts["Notes · all"] is Verdict.TOO_LOW
    assert result.verdicts["BioClinicalBERT · AUROC"] is Verdict.STAND_IN
    assert result.stand_in is not None


def test_concepts_of_teams_on_the_paper_s_own_notes(made: Path, tmp_path: Path) -> None:
    """Notes in MCN's shape, a vocabulary in the UMLS's, and two teams: one that is always right."""
    marks = formats.read("jsonl", made / "concepts" / "annotations.jsonl").select(
        annotators=["gold"]
    )
    ids = sorted({one.note_id for one in marks.iter_annotations() if one.note_id})
    split = {note_id: "train" if at % 2 else "test" for at, note_id in enumerate(ids)}
    notes = [
        replace(note, chart_id=note.note_id, split=split[note.note_id])
        for note in formats.read("mimic3", made / "mimic3").iter_notes()
        if note.note_id in split
    ]
    said = [replace(one, chart_id=one.note_id or "") for one in marks.iter_annotations()]
    whole = Corpus.of(notes, said)
    formats.write("mcn", whole, tmp_path / "mcn")
    right = [one for one in said if split[one.chart_id] == "test"]
    teams = {"perfect": right, "half": right[: len(right) // 2]}
    (tmp_path / "teams").mkdir()
    for team, given in teams.items():
        formats.write("mcn", Corpus.of(notes, given), tmp_path / "teams" / team)
    sources = {
        "mcn": tmp_path / "mcn",
        "umls": made / "vocabulary",
        "mcn_systems": tmp_path / "teams",
    }
    result = only("entities-table-1", tmp_path / "work", **sources)
    assert result.found is not None
    numbers = result.found.numbers
    assert {one.basis for one in numbers.values()} == {Basis.REAL}
    places = {(one.note_id, one.spans) for one in right}
    assert numbers["All · # Examples"].value == len(places)
    assert numbers["All · Max Acc"].value == pytest.approx(100)
    assert result.verdicts["All · Max Acc"] is Verdict.TOO_HIGH
    assert result.verdicts["All · # Examples"] is Verdict.TOO_LOW


def test_what_the_paper_prints_whole_is_reproduced_anywhere(tmp_path: Path) -> None:
    result = only("challenge-table-1", tmp_path / "work")
    assert set(result.verdicts.values()) == {Verdict.IN_BAND}
    assert result.stand_in is None


@pytest.mark.parametrize("name", ["mdace-figure-1", "mdace-figure-2"])
def test_a_constant_that_is_the_paper_s_is_no_reproduction(tmp_path: Path, name: str) -> None:
    result = only(name, tmp_path / "work")
    assert set(result.verdicts.values()) == {Verdict.SAME_SETTING}
    assert VerdictCounts.of([result]).of_kind(Kind.PAPER_DATA) == 0
