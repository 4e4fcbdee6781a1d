"""Three coders disagree for known causes at known rates."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.synth.conftest import Hospital

from auscult.corpus import formats
from auscult.synth.charts import WrittenChart
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.coders import CODERS, Habits, choose
from auscult.synth.evidence import SupportedCode, items, sufficient
from auscult.synth.note_parts import PhraseKind
from auscult.synth.random_draws import RandomDraws


def test_all_three_code_the_same_charts(hospital: Hospital) -> None:
    charts = (hospital.path / "coders" / "charts.txt").read_text().split()
    assert len(charts) == hospital.summary.coded_charts
    assert 0.15 < len(charts) / hospital.summary.admissions < 0.35
    for habits in CODERS:
        coded = {
            line["chart_id"]
            for line in hospital.lines("coders/annotations.jsonl")
            if line["annotator"] == habits.name
        }
        assert coded == set(charts)


def test_spans_are_words_of_their_notes(hospital: Hospital) -> None:
    for name in ("coders/annotations.jsonl", "coders/truth.jsonl"):
        for line in hospital.lines(name):
            [(begin, end)] = line["spans"]
            text = hospital.texts[line["note_id"]]
            assert 0 <= begin < end <= len(text)
            assert text[begin:end] == text[begin:end].strip()


def test_what_a_coder_wrote_fits_its_cause(hospital: Hospital) -> None:
    truth: dict[tuple[str, str], list[tuple[str, int, int]]] = {}
    for line in hospital.lines("coders/truth.jsonl"):
        place = (line["note_id"], *line["spans"][0])
        truth.setdefault((line["chart_id"], line["code"]), []).append(place)
    seen: Counter[str] = Counter()
    for line in hospital.lines("coders/annotations.jsonl"):
        cause = line["meta"]["cause"]
        seen[cause] += 1
        place = (line["note_id"], *line["spans"][0])
        own = truth.get((line["chart_id"], line["meta"].get("instead_of", line["code"])), [])
        if cause in ("agreed", "inexperience"):
            assert place in own
        if cause == "inexperience":
            assert line["meta"]["instead_of"] != line["code"]
        if cause == "elsewhere":
            assert own
            assert place not in own
        if cause == "boundary":
            assert any(
                note == place[0]
                and begin <= place[1] < place[2] <= end
                and place[1:] != (begin, end)
                for note, begin, end in own
            )
    assert {"agreed", "elsewhere", "boundary", "inexperience", "symptom"} <= seen.keys()


@pytest.fixture(scope="module")
def supported(charts: list[WrittenChart]) -> list[SupportedCode]:
    return [item for chart in charts for item in items(chart)]


@pytest.mark.parametrize("habits", CODERS, ids=lambda habits: habits.name)
def test_causes_strike_at_their_rates(
    habits: Habits, supported: list[SupportedCode], known: ClinicalTables
) -> None:
    dice = RandomDraws(f"rates {habits.name}")
    counts: Counter[str] = Counter()
    could: Counter[str] = Counter()
    for _ in range(12):
        for item in supported:
            code = item.code(known, 10)
            if code is None:
                continue
            places = sufficient(item, dice)
            choice = choose(habits, item, places, code, known, dice)
            # Each cause can strike only where those before it did not, and where it applies.
            if item.kind is PhraseKind.SYMPTOM:
                could["symptom"] += 1
                counts["symptom"] += choice.cause == "symptom"
            if item.kind is PhraseKind.EXTERNAL:
                could["external cause"] += 1
                counts["external cause"] += choice.cause == "external cause"
            if choice.cause in ("symptom", "external cause"):
                continue
            could["missed"] += 1
            counts["missed"] += choice.cause == "missed"
            if choice.cause in ("missed", "inexperience"):
                continue
            if len(places) < len(item.places):
                could["elsewhere"] += 1
                counts["elsewhere"] += choice.cause == "elsewhere"
    wanted = {
        "symptom": habits.symptom,
        "external cause": habits.external,
        "missed": habits.missed,
        "elsewhere": habits.elsewhere,
    }
    for cause, rate in wanted.items():
        assert could[cause] > 20, cause
        error = 4 * (rate * (1 - rate) / could[cause]) ** 0.5 + 0.004
        assert abs(counts[cause] / could[cause] - rate) < error, cause


def test_the_experienced_agree_most(hospital: Hospital) -> None:
    agreed: Counter[str] = Counter()
    lines = hospital.lines("coders/truth.jsonl")
    for line in lines:
        for name, cause in line["meta"].items():
            agreed[name] += cause == "agreed"
    assert agreed["coder_a"] > agreed["coder_b"] > agreed["coder_c"] > 0.3 * len(lines)


def test_the_reader_reads_them(hospital: Hospital) -> None:
    corpus = formats.read("jsonl", hospital.path / "coders" / "annotations.jsonl")
    assert corpus.annotations.height == hospital.summary.coder_annotations
