"""How conditions are meant: sentences worked by hand, any text, and the planted assertions."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.assertion import Assertion, Scopes
from auscult.core import Span
from auscult.synth import hospital

csv.field_size_limit(10**9)

# The condition stands between brackets, which are taken out.
SAYS = {
    Assertion.PRESENT: [
        "[Pneumonia] in the right lower lobe.",
        "No fever, but [cough] for three days.",
        "Fever and [cough] without wheezing.",
        "History of [asthma], on albuterol.",
        "No change in the [effusion].",
        "The [abscess] was drained without difficulty.",
        "[Gram negative sepsis] treated with cefepime.",
        "No pneumonia. [Atelectasis] at the left base.",
        "Chest pain likely due to [reflux].",
        "His wife noticed [jaundice] yesterday.",
        "No acute distress, [pneumonia] present.",
        "No fever, [cough] present.",
        "Mother with asthma and patient with [COPD].",
        "Without significant change in [effusion].",
        "Suspected [appendicitis] confirmed at surgery.",
        "[Pneumonia] with a negative HIV test.",
        "HIV negative man with [pneumonia].",
        "[Chest pain] negative stress test.",
        "PE unlikely, [pneumonia] in the left lower lobe.",
        "PE is unlikely given the [pneumonia].",
    ],
    Assertion.NEGATED: [
        "No [fever].",
        "She has had no prior [heart attack], heart failure, or valve disease.",
        "She has had no prior heart attack, heart failure, or [valve disease].",
        "[Asthma] no.",
        "[Breast cancer]: none.",
        "[DVT] - no.",
        "[Hepatitis B] and C serology negative.",
        "Daughter denies [depressed mood].",
        "No evidence of [pneumonia] or effusion.",
        "The patient denies chest pain, dizziness or [syncope].",
        "Lungs are clear without [consolidation].",
        "[Pulmonary embolism] was ruled out.",
        "Workup was negative for [stroke].",
        "He had no [nausea], vomiting or diarrhea.",
        "A [fracture] is not seen.",
        "No family history of [colon cancer].",
        "Ruled out for [MI].",
        "Unlikely [pneumonia].",
        "Effusion, unlikely [pneumonia].",
        "[HIV] negative.",
        "The patient is [HIV]-negative.",
        "[Hepatitis C] negative, afebrile.",
        "No fever, rash or [cough] present.",
        "No [effusion] is present.",
        "Suspected [appendicitis] was not confirmed.",
    ],
    Assertion.UNCERTAIN: [
        "Possible [pneumonia].",
        "No effusion, possible [pneumonia].",
        "Rule out [appendicitis].",
        "? [stroke].",
        "Interval change, [abscess]?",
        "[Empyema] cannot be excluded.",
        "Cannot rule out [DVT].",
        "Opacity which may represent [atelectasis].",
        "Evaluate for [reflux].",
        "Admitting Diagnosis: [SEPSIS]",
        "[Atelectasis] versus pneumonia.",
        "Suspected [appendicitis], to be confirmed by CT.",
        "Possible [pneumonia] is present.",
        "Suspected [appendicitis], pneumonia confirmed.",
    ],
    Assertion.HYPOTHETICAL: [
        "Return if you have [chest pain].",
        "Call your doctor if you develop fever, chills or [shortness of breath].",
        "Heparin SC for [DVT] prophylaxis.",
        "Albuterol PRN [wheezing].",
        "Watch for [bleeding].",
    ],
    Assertion.HISTORICAL: [
        "Prior [stroke].",
        "Remote [pancreatitis].",
        "[Pneumonia] in 2001, recovered.",
        "Status post [appendectomy].",
        "[Seizures] as a child.",
    ],
    Assertion.FAMILY: [
        "Father died of [MI] at 62.",
        "Family History:\nMother with [breast cancer].\n\nSocial History:\nLives alone.",
        "Her sister has [lupus].",
        "The patient's mother has [lupus].",
        "Family history of [diabetes].",
    ],
}
SENTENCES = [(marked, assertion) for assertion, listed in SAYS.items() for marked in listed]


def bracketed(marked: str) -> tuple[str, Span]:
    begin, end = marked.index("["), marked.index("]") - 1
    return marked.replace("[", "").replace("]", ""), Span(begin, end)


@pytest.mark.parametrize(("marked", "assertion"), SENTENCES)
def test_a_sentence_is_read_as_it_is_meant(marked: str, assertion: Assertion) -> None:
    text, span = bracketed(marked)
    assert Scopes.of(text).at(span) is assertion


@pytest.mark.parametrize(("marked", "assertion"), SENTENCES)
def test_case_wrapping_and_neighbors_change_nothing(marked: str, assertion: Assertion) -> None:
    text, span = bracketed(marked)
    before = "The knee was examined.\n\n"
    around = f"{before}{text}\n\nSeen by the team."
    moved = span.shift(len(before))
    assert Scopes.of(around).at(moved) is assertion
    assert Scopes.of(around.upper()).at(moved) is assertion


def test_a_line_that_is_only_wrapped_is_one_sentence() -> None:
    text = (
        "There is no radiographic evidence of a consolidation, of an effusion\nor of pneumothorax."
    )
    at = text.index("pneumothorax")
    assert Scopes.of(text).at(Span(at, at + 12)) is Assertion.NEGATED
    listed = "- no fever\n- Cough for three days"
    at = listed.index("Cough")
    assert Scopes.of(listed).at(Span(at, at + 5)) is Assertion.PRESENT


@given(st.text(alphabet=st.sampled_from("no fever?.,:;\n İ🩺but[*]Family History")), st.data())
def test_any_text_can_be_read(text: str, data: st.DataObject) -> None:
    scopes = Scopes.of(text)
    for scope in scopes:
        assert scope.span.of(text) != ""
        assert not scope.span.overlaps(scope.cue)
    begin = data.draw(st.integers(0, len(text)))
    assert scopes.at(Span(begin, data.draw(st.integers(begin, len(text))))) in Assertion


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, str]]:
    """How often what is meant one way in the synthetic hospital is read another."""
    out = tmp_path_factory.mktemp("assertion") / "hospital"
    hospital.make_hospital(out, patients=10, seed=3)
    return confusion(out)


def confusion(made: Path) -> Counter[tuple[str, str]]:
    with (made / "mimic3" / "NOTEEVENTS.csv").open(encoding="utf-8", newline="") as handle:
        scopes = {row["ROW_ID"]: Scopes.of(row["TEXT"]) for row in csv.DictReader(handle)}
    found: Counter[tuple[str, str]] = Counter()
    with (made / "truth" / "annotations.jsonl").open(encoding="utf-8") as handle:
        for row in map(json.loads, handle):
            said = scopes[row["note_id"]].at(Span(*row["spans"][0]))
            found[row["meta"]["assertion"], said.value] += 1
    return found


def test_planted_assertions_are_found(planted: Counter[tuple[str, str]]) -> None:
    right = sum(count for (meant, said), count in planted.items() if meant == said)
    assert right / planted.total() > 0.95


@pytest.mark.parametrize("assertion", list(Assertion))
def test_of_each_kind_most_are_found(
    planted: Counter[tuple[str, str]], assertion: Assertion
) -> None:
    meant = sum(count for (one, _), count in planted.items() if one == assertion)
    assert meant >= 20
    assert planted[assertion, assertion] / meant > 0.9
