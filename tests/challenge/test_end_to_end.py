"""A shared task from the synthetic hospital to the leaderboard, with forty simulated systems."""

from __future__ import annotations

import random
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.challenge.simulated import noisy, write

from auscult.agreement.majority import Level, majority
from auscult.challenge import Challenge, create, leaderboard, release, submit
from auscult.core import Code
from auscult.corpus import Corpus, formats
from auscult.corpus.sampling import Plan, sample
from auscult.corpus.split import split_at_random
from auscult.evaluate.standings import Standings, analyse
from auscult.report.challenge_report import challenge_report
from auscult.synth import hospital

CODERS = ("coder_a", "coder_b", "coder_c")
SYSTEMS = 40


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Challenge:
    """Three coders of the hospital, their majority, charts with one, split by patient."""
    out = tmp_path_factory.mktemp("task")
    hospital.make(out / "hospital", patients=30, seed=5)
    said = formats.read("jsonl", out / "hospital" / "coders" / "annotations.jsonl")
    notes = formats.read("mimic3", out / "hospital" / "mimic3")
    charts = (out / "hospital" / "coders" / "charts.txt").read_text().split()
    coded = replace(notes.select(charts=charts, annotators=[]), annotations=said.annotations)
    gold = majority(coded, CODERS, votes=2, level=Level.CHART)
    voted = coded.with_annotations(gold.annotations)
    kept = sample(voted, Plan(annotator="majority", coded=True)).corpus
    split = split_at_random(kept, {"train": 0.4, "test": 0.6}, seed=1)
    codes = _codes(split)
    return create(split, out / "task", gold="majority", humans=CODERS, codes=codes, attempts=2)


def _codes(corpus: Corpus) -> set[Code]:
    rows = corpus.annotations.select("system", "code").unique().collect()
    return {Code(system, value) for system, value in rows.iter_rows()}


@pytest.fixture(scope="module")
def found(task: Challenge, tmp_path_factory: pytest.TempPathFactory) -> Standings:
    """Forty teams, each worse than the one before, in three forms; some send rubbish first."""
    runs = tmp_path_factory.mktemp("runs")
    dice = random.Random(40)
    gold, labels = task.gold(), task.settings.label_set
    for number in range(SYSTEMS):
        team = f"Team {number + 1:02}"
        if number % 7 == 0:
            broken = runs / "broken.xml"
            broken.write_text("<docs/><docs/>")
            assert not submit(task, team, broken).is_accepted
        form = ("xml", "csv", "json")[number % 3]
        answers = noisy(gold, labels, dice, drop=0.02 + 0.02 * number, add=0.3)
        receipt = submit(task, team, write(answers, runs / f"run{number}.{form}"))
        assert receipt.is_accepted, receipt.problems[:3]
        assert receipt.entry.codes == sum(map(len, answers.values()))
    return leaderboard(task, times=200)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_better_a_system_was_made_the_higher_it_stands(found: Standings) -> None:
    names = [row.name for row in found.systems]
    assert len(names) == SYSTEMS
    made = [int(name.split()[1]) for name in names]
    # Ranks as made and as found go together: Spearman's correlation.
    squares = sum((place - number) ** 2 for place, number in enumerate(made, 1))
    assert 1 - 6 * squares / (SYSTEMS**3 - SYSTEMS) > 0.95
    assert found.systems[0].rank == 1
    assert {row.name for row in found.humans} == set(CODERS)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_near_systems_cannot_be_told_apart_and_far_ones_can(found: Standings) -> None:
    analysis = analyse(found)
    assert analysis.anova is not None
    system, code = (factor.p_value.value or 0.0 for factor in analysis.anova.factors)
    assert system < 0.001
    assert code > 0.001  # all codes were dropped by the same chance
    first, last = analysis.names[0], analysis.names[-1]
    together = [set(group) for group in analysis.groups if first in group]
    assert all(last not in group for group in together)
    assert any(analysis.names[1] in group for group in together)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_release_holds_the_notes_and_no_code_of_test(task: Challenge, tmp_path: Path) -> None:
    release(task, tmp_path / "release")
    test = formats.read("cmc", tmp_path / "release" / "test.xml")
    assert {note.note_id for note in test.iter_notes()} == set(task.gold())
    assert list(test.iter_annotations()) == []
    assert all((note.text or "").strip() for note in test.iter_notes())


class _Cells(HTMLParser):
    """Counts elements by tag and class."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = self.heat = self.humans = self.external = 0
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "table":
            self._inside = given.get("class") or ""
        self.rows += tag == "tr" and self._inside == "ranking"
        self.humans += tag == "tr" and self._inside == "ranking" and given.get("class") == "human"
        self.heat += tag == "td" and self._inside == "heat" and "title" in given
        self.external += tag in ("script", "link", "img")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_page_shows_everybody_and_every_code(found: Standings, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    challenge_report(found, analyse(found), page, name="Task <1>")
    text = page.read_text(encoding="utf-8")
    cells = _Cells()
    cells.feed(text)
    assert cells.rows == 1 + SYSTEMS + 3
    assert cells.humans == 3
    assert cells.heat == (SYSTEMS + 3) * min(60, len(found.codes))
    assert cells.external == 0
    assert "Task &lt;1&gt;" in text
    assert text.count("<svg") == 2  # the brand and the scatter plot
