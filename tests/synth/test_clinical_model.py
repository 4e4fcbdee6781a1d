"""Who has what, when they come, and whether they come back."""

from __future__ import annotations

import itertools
from collections import Counter
from datetime import timedelta

import pytest

from auscult.synth.admissions import MOST_STAYS, stays
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.epidemiology import BASE_LOG_ODDS, Epidemiology
from auscult.synth.past_history import LEAVES
from auscult.synth.patients import make_patient, subject_id
from auscult.synth.random_draws import logistic
from auscult.synth.stay import Admission, ConditionRole, Shown, hadm_id

PATIENTS = 900


@pytest.fixture(scope="module")
def lives(known: ClinicalTables) -> list[list[Admission]]:
    epidemiology = Epidemiology(known)
    return [stays(make_patient(1, index), epidemiology) for index in range(PATIENTS)]


@pytest.fixture(scope="module")
def admissions(lives: list[list[Admission]]) -> list[Admission]:
    return [stay for life in lives for stay in life]


def test_ids_are_unique_and_six_digits_long() -> None:
    assert len({subject_id(index) for index in range(100_000)}) == 100_000
    ids = {hadm_id(index, number) for index in range(12_000) for number in range(MOST_STAYS)}
    assert len(ids) == 12_000 * MOST_STAYS
    assert (min(ids), max(ids)) >= (100_001, 100_001)
    assert max(ids) <= 199_999


def test_a_patient_does_not_depend_on_others(known: ClinicalTables) -> None:
    alone = stays(make_patient(1, 17), Epidemiology(known))
    epidemiology = Epidemiology(known)
    for index in range(17):
        stays(make_patient(1, index), epidemiology)
    assert stays(make_patient(1, 17), epidemiology) == alone
    assert make_patient(2, 17) != make_patient(1, 17)


def test_times_are_shifted_by_whole_weeks_into_the_22nd_century(
    admissions: list[Admission],
) -> None:
    for stay in admissions:
        assert 2099 <= stay.admitted.year <= 2200
        assert stay.patient.shift.days % 7 == 0
        assert 2000 < (stay.admitted - stay.patient.shift).year < 2025
        assert stay.admitted <= stay.discharged
    seasons = Counter(
        (stay.admitted - (stay.admitted - stay.patient.shift).replace(year=stay.admitted.year)).days
        for stay in admissions
        if (stay.admitted - stay.patient.shift).month not in (1, 2, 12)
    )
    assert max(abs(days) for days in seasons) <= 8


def test_stays_follow_each_other_and_death_ends_them(lives: list[list[Admission]]) -> None:
    for life in lives:
        assert [stay.number for stay in life] == list(range(len(life)))
        for before, after in itertools.pairwise(life):
            assert not before.died
            assert before.discharged < after.admitted
            days = (after.admitted - before.discharged) / timedelta(days=1)
            assert before.readmitted == (days <= 30)


def test_no_chart_holds_two_kinds_of_one_disease(
    admissions: list[Admission], known: ClinicalTables
) -> None:
    epidemiology = Epidemiology(known)
    for stay in admissions:
        rows = [illness.row for illness in stay.illnesses]
        assert len(set(rows)) == len(rows)
        for at, row in enumerate(rows):
            assert not epidemiology.clashes(row, rows[:at]), (row, rows[:at])
            assert known.conditions[row].sex in ("any", stay.patient.sex)


def test_stages_of_kidney_disease_exclude_each_other(known: ClinicalTables) -> None:
    rivals = Epidemiology(known).rivals
    stages = [row.id for row in known.conditions.values() if row.icd10.startswith("N18")]
    assert len(stages) >= 4
    assert all(b in rivals[a] for a in stages for b in stages if a != b)
    assert "tobacco_history" in rivals["tobacco_use"]
    assert "pneumonia" not in rivals["hypertension"]


@pytest.mark.parametrize(("one", "other"), [
    ("hyponatremia", "fluid_overload"),  # one makes the other likelier
    ("hyperkalemia", "metabolic_acidosis"),
    ("coronary_artery_disease", "ischemic_cardiomyopathy"),
    ("liver_metastases", "lung_metastases"),  # different places
    ("type_2_diabetes_ckd", "type_2_diabetes_retinopathy"),  # different organs harmed
    ("aphasia_after_stroke", "hemiplegia_after_stroke"),
    ("oral_candidiasis", "candidemia"),  # different diseases in one category
    ("alcoholic_cirrhosis", "alcoholic_hepatitis"),
])  # fmt: skip
def test_different_things_in_one_category_go_together(
    known: ClinicalTables, one: str, other: str
) -> None:
    assert known.conditions[one].icd10[:3] == known.conditions[other].icd10[:3]
    rivals = Epidemiology(known).rivals
    assert other not in rivals[one]
    assert one not in rivals[other]


@pytest.mark.parametrize(("one", "other"), [
    ("hyponatremia", "hypernatremia"),  # high and low of the same test
    ("type_2_diabetes_hyperglycemia", "type_2_diabetes_hypoglycemia"),
    ("type_2_diabetes", "type_2_diabetes_ckd"),  # "without complications"
    ("type_1_diabetes_dka", "type_2_diabetes_ckd"),
    ("stemi_anterior", "type_2_mi"),  # kinds of one disease
    ("acute_resp_failure_hypoxia", "chronic_resp_failure"),  # coded as acute on chronic
    ("pressure_ulcer_sacrum_stage2", "pressure_ulcer_sacrum_stage3"),
    ("diverticulosis", "diverticular_bleeding"),  # one code says both
    ("severe_sepsis", "septic_shock"),
])  # fmt: skip
def test_kinds_of_one_disease_exclude_each_other(
    known: ClinicalTables, one: str, other: str
) -> None:
    rivals = Epidemiology(known).rivals
    assert other in rivals[one]
    assert one in rivals[other]


def test_charts_hold_several_codes_of_one_category(
    admissions: list[Admission], known: ClinicalTables
) -> None:
    several = 0
    for stay in admissions:
        stems = Counter(known.conditions[i.row].icd10[:3] for i in stay.illnesses)
        several += max(stems.values()) > 1
    assert several > 0.1 * len(admissions)


def test_no_code_stands_for_a_disease_that_another_tells_exactly(
    admissions: list[Admission], known: ClinicalTables
) -> None:
    rivals = Epidemiology(known).rivals
    for stay in admissions:
        for illness in stay.illnesses:
            others = {i.coded for i in stay.illnesses if i.row != illness.row}
            assert not others & rivals[illness.coded], (illness, others)


def test_lasting_conditions_last(lives: list[list[Admission]], known: ClinicalTables) -> None:
    epidemiology = Epidemiology(known)
    seen = 0
    for life in lives:
        for before, after in itertools.pairwise(life):
            now = [illness.row for illness in after.illnesses]
            for illness in before.illnesses:
                if known.conditions[illness.row].kind in ("chronic", "status"):
                    seen += 1
                    # It is still there, unless a flare-up of the same disease stands for it.
                    assert epidemiology.clashes(illness.row, now)
    assert seen > 500


def test_what_is_over_leaves_its_mark(lives: list[list[Admission]], known: ClinicalTables) -> None:
    epidemiology = Epidemiology(known)
    marks = 0
    for life in lives:
        for before, after in itertools.pairwise(life):
            for deed in before.deeds:
                if deed.row in LEAVES:
                    marks += 1
                    now = [illness.row for illness in after.illnesses]
                    assert epidemiology.clashes(LEAVES[deed.row], now)
    assert marks > 5


def test_age_and_company_make_conditions_likelier(admissions: list[Admission]) -> None:
    def share(row: str, among: list[Admission]) -> float:
        return sum(any(i.row == row for i in stay.illnesses) for stay in among) / len(among)

    old = [stay for stay in admissions if stay.age >= 65]
    young = [stay for stay in admissions if stay.age < 45]
    assert share("hypertension", old) > 1.5 * share("hypertension", young)
    assert share("opioid_use_disorder", young) > share("opioid_use_disorder", old)
    failing = [
        s for s in admissions if any(i.row == "end_stage_renal_disease" for i in s.illnesses)
    ]
    working = [s for s in admissions if s not in failing]
    assert share("dialysis_status", failing) > 0.3
    assert share("dialysis_status", working) < 0.03


def test_prevalence_has_a_long_tail(admissions: list[Admission], known: ClinicalTables) -> None:
    counts = Counter(illness.row for stay in admissions for illness in stay.illnesses)
    commonest = counts.most_common(1)[0]
    assert commonest[0] == "hypertension"
    assert commonest[1] > 0.3 * len(admissions)
    assert len(counts) > 0.85 * len(known.conditions)
    assert sum(count < 0.005 * len(admissions) for count in counts.values()) > 50
    assert 9 < sum(counts.values()) / len(admissions) < 14


def test_deaths_and_lengths_of_stay_are_those_of_intensive_care(
    admissions: list[Admission],
) -> None:
    assert 0.05 < sum(stay.died for stay in admissions) / len(admissions) < 0.13
    days = sorted(stay.days for stay in admissions)
    assert 5 <= days[len(days) // 2] <= 10
    old = [stay.died for stay in admissions if stay.age >= 75]
    young = [stay.died for stay in admissions if stay.age < 55]
    assert sum(old) / len(old) > sum(young) / len(young)


def test_readmission_is_as_frequent_as_its_log_odds_say(admissions: list[Admission]) -> None:
    alive = [stay for stay in admissions if not stay.died and stay.number < MOST_STAYS - 1]
    expected = sum(logistic(stay.log_odds) for stay in alive)
    observed = sum(stay.readmitted for stay in alive)
    assert abs(observed - expected) < 3 * expected**0.5
    assert 0.06 <= observed / len(admissions) <= 0.12


def test_readmission_depends_on_the_weights_of_the_conditions(
    admissions: list[Admission], known: ClinicalTables
) -> None:
    alive = [stay for stay in admissions if not stay.died and stay.number < MOST_STAYS - 1]
    for stay in alive:
        weights = sum(known.conditions[i.row].readmission for i in stay.illnesses)
        assert stay.log_odds - BASE_LOG_ODDS == pytest.approx(weights, abs=0.36)
    ranked = sorted(alive, key=lambda stay: stay.log_odds)
    third = len(ranked) // 3
    low = sum(stay.readmitted for stay in ranked[:third]) / third
    high = sum(stay.readmitted for stay in ranked[-third:]) / third
    assert high > 2 * low


def test_symptoms_are_unexplained_only_when_nothing_explains_them(
    admissions: list[Admission], known: ClinicalTables
) -> None:
    for stay in admissions:
        explained = {s for i in stay.illnesses for s in known.conditions[i.row].symptoms}
        assert not explained & set(stay.unexplained)
        assert set(stay.unexplained) <= set(stay.complaints)
    assert 0.25 < sum(bool(stay.unexplained) for stay in admissions) / len(admissions) < 0.6


def test_causes_come_with_injuries_only(admissions: list[Admission], known: ClinicalTables) -> None:
    caused = [stay for stay in admissions if stay.external is not None]
    assert all(known.conditions[stay.principal.row].kind == "injury" for stay in caused)
    assert len(caused) > 0.04 * len(admissions)


def test_what_was_ruled_out_is_not_there(
    admissions: list[Admission], known: ClinicalTables
) -> None:
    for stay in admissions:
        codes = {known.conditions[illness.row].icd10 for illness in stay.illnesses}
        for row in stay.ruled_out:
            assert row not in stay.present
            assert known.conditions[row].icd10 not in codes


def test_ways_of_telling_have_their_shares(
    admissions: list[Admission], known: ClinicalTables
) -> None:
    shown = Counter(illness.shown for stay in admissions for illness in stay.illnesses)
    total = sum(shown.values())
    assert shown[Shown.FULL] > 0.7 * total
    assert shown[Shown.VAGUE] > 0.02 * total
    assert shown[Shown.ASIDE] > 0.04 * total
    assert shown[Shown.SILENT] > 0.04 * total
    for stay in admissions:
        assert stay.principal.role is ConditionRole.PRINCIPAL
        assert stay.principal.shown in (Shown.FULL, Shown.VAGUE)
        for illness in stay.illnesses:
            if illness.shown is Shown.VAGUE:
                assert known.conditions[illness.row].less_specific == illness.coded
            else:
                assert illness.coded == illness.row


def test_results_are_off_as_the_conditions_have_them(
    admissions: list[Admission], known: ClinicalTables
) -> None:
    for stay in admissions:
        wanted = {
            (lab, way)
            for illness in stay.illnesses
            for lab, way in known.conditions[illness.row].labs.items()
        }
        for name, found in stay.labs.items():
            low, high = known.labs[name].normal
            if name == "hematocrit":
                continue  # follows the hemoglobin
            if found.off:
                assert (name, found.off) in wanted
                off = known.labs[name].high if found.off == "high" else known.labs[name].low
                if off is not None:
                    rounding = 0.51 * 10 ** -known.labs[name].digits
                    assert off[0] - rounding <= float(found.first) <= off[1] + rounding
            else:
                rounding = 0.51 * 10 ** -known.labs[name].digits
                assert low - rounding <= float(found.first) <= high + rounding
