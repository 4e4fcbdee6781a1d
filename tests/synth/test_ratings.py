"""The clinicians' ratings follow the planted effects."""

from __future__ import annotations

import re

from tests.synth.conftest import Hospital, read_table

from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.ratings import CLINICIANS, planted


def _ranks(values: list[float]) -> list[float]:
    order = sorted(values)
    return [(order.index(v) + len(order) - 1 - order[::-1].index(v)) / 2 for v in values]


def _correlation(a: list[float], b: list[float]) -> float:
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    top = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    return float(
        top / (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
    )


def test_scores_are_from_one_to_five_and_follow_the_effects(
    hospital: Hospital, known: ClinicalTables
) -> None:
    rows = read_table(hospital.path / "ratings" / "clinicians.csv")
    assert tuple(rows[0]) == ("word", *CLINICIANS)
    assert 45 <= len(rows) <= 55
    effects = planted(known)
    assert {row["word"] for row in rows} == set(effects)
    strength = [abs(effects[row["word"]]) for row in rows]
    assert sum(value == 0 for value in strength) >= 10
    scores = {name: [float(row[name]) for row in rows] for name in CLINICIANS}
    for given in scores.values():
        assert all(1 <= score <= 5 for score in given)
        assert _correlation(_ranks(given), _ranks(strength)) > 0.55
    one, two, _ = scores.values()
    assert one != two
    assert _correlation(one, two) > 0.4


def test_rated_words_stand_in_discharge_summaries(hospital: Hospital) -> None:
    words: set[str] = set()
    for note_id, text in hospital.texts.items():
        if hospital.categories[note_id] == "Discharge summary":
            words |= set(re.findall(r"[a-z]+", text.lower()))
    rows = read_table(hospital.path / "ratings" / "clinicians.csv")
    missing = [row["word"] for row in rows if row["word"] not in words]
    assert missing == []


def test_effects_behind_the_ratings_are_told(hospital: Hospital, known: ClinicalTables) -> None:
    told = {
        row["word"]: float(row["effect"])
        for row in read_table(hospital.path / "ratings" / "planted.csv")
    }
    assert told == {word: round(effect, 2) for word, effect in planted(known).items()}
