"""The notes say what is so, deny what is not, and read like those of an intensive care unit."""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from importlib.resources import files

import pytest

from auscult.synth import admissions, care, evidence, history, past_history
from auscult.synth import charts as charts_module
from auscult.synth.charts import WrittenChart
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.evidence import items
from auscult.synth.note_author import AuthorContext
from auscult.synth.note_parts import Form, PhraseAssertion, PhraseKind
from auscult.synth.regions import STUDIES
from auscult.synth.stay import Shown
from auscult.synth.vocabulary import SynthVocabulary

_MARK = re.compile(r"\{([-+?~<^=])([a-z0-9_]+)(?:\|[^{}]*)?\}")
_TITLES = {words for group in STUDIES.values() for study in group for words in study[::2]}


def test_every_id_that_the_templates_name_is_in_the_tables(world: AuthorContext) -> None:
    folder = files("auscult.synth")
    named = set()
    for file in folder.iterdir():
        if file.name.endswith(".py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    named |= {match[1] for match in _MARK.findall(node.value)}
    assert len(named) > 40
    named |= {
        *past_history.LEAVES,
        *past_history.LEAVES.values(),
        *evidence.STUDIES,
        *history.REVIEW,
    }
    named |= {*charts_module.VENTILATION, *admissions._AIRWAY}
    named |= {*care._ALWAYS, *care._OFTEN, *care._SOMETIMES}
    named |= {study.procedure for group in STUDIES.values() for study in group} - {""}
    assert sorted(named - world.kinds.keys()) == []


def test_nothing_is_left_of_the_templates(charts: list[WrittenChart]) -> None:
    for chart in charts:
        for note in chart.notes:
            assert not set("{}|\r\t") & set(note.text)
            assert note.text.endswith("\n")


def test_phrases_are_those_of_their_rows(
    charts: list[WrittenChart], known: ClinicalTables, world: AuthorContext
) -> None:
    vocabulary = SynthVocabulary(known)
    checked = 0
    for chart in charts:
        for note in chart.notes:
            for begin, end, phrase in note.phrases:
                assert note.text[begin:end].replace("\n", " ") == phrase.text
                own = {name.lower() for name in vocabulary.names[phrase.kind, phrase.row]}
                if phrase.kind is PhraseKind.CONDITION:
                    own |= {name.lower() for name in known.conditions[phrase.row].vague}
                if phrase.assertion is PhraseAssertion.PRESENT and phrase.kind in evidence.CODED:
                    checked += 1
                    names = {*vocabulary.names[phrase.kind, phrase.row]}
                    if phrase.kind is PhraseKind.CONDITION:
                        names |= {*known.conditions[phrase.row].vague}
                    own |= {
                        wording.lower()
                        for name in names
                        for wording in world.wordings.of(phrase.kind, phrase.row, name)
                    }
                    assert phrase.proper.lower() in own or phrase.proper in _TITLES | _PLAIN, phrase
                if phrase.text.lower() != phrase.proper.lower():
                    assert _distance(phrase.text.lower(), phrase.proper.lower()) <= 3, phrase
    assert checked > 3000


# Words that a template itself writes for a symptom: adjectives of the table's nouns.
_PLAIN = {"Confused", "Lethargic", "lethargic", "febrile", "Tachycardia", "Bradycardia",
          "tachycardia", "bradycardia", "BiPAP", "TTE"}  # fmt: skip


def _distance(a: str, b: str) -> int:
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        now = [i]
        for j, y in enumerate(b, 1):
            now.append(min(before[j] + 1, now[-1] + 1, before[j - 1] + (x != y)))
        before = now
    return before[-1]


def test_nothing_present_is_denied(charts: list[WrittenChart]) -> None:
    denied = 0
    for chart in charts:
        rows = {i.row for i in chart.stay.illnesses} | {i.coded for i in chart.stay.illnesses}
        rows |= set(chart.stay.complaints)
        for note in chart.notes:
            for _, _, phrase in note.phrases:
                if phrase.assertion is PhraseAssertion.NEGATED:
                    denied += 1
                    assert phrase.row not in rows, phrase
    assert denied > 2000


def test_nothing_absent_is_claimed(charts: list[WrittenChart]) -> None:
    for chart in charts:
        rows = {illness.row for illness in chart.stay.illnesses}
        for note in chart.notes:
            for _, _, phrase in note.phrases:
                if (
                    phrase.kind is PhraseKind.CONDITION
                    and phrase.assertion is PhraseAssertion.PRESENT
                ):
                    assert phrase.row in rows, phrase


def test_every_assertion_is_made(charts: list[WrittenChart]) -> None:
    said = Counter(
        phrase.assertion
        for chart in charts
        for note in chart.notes
        for _, _, phrase in note.phrases
        if phrase.kind in (PhraseKind.CONDITION, PhraseKind.SYMPTOM, PhraseKind.PROCEDURE)
    )
    total = sum(said.values())
    for assertion, least in (
        (PhraseAssertion.PRESENT, 0.4),
        (PhraseAssertion.NEGATED, 0.15),
        (PhraseAssertion.UNCERTAIN, 0.03),
        (PhraseAssertion.HISTORICAL, 0.015),
        (PhraseAssertion.HYPOTHETICAL, 0.015),
        (PhraseAssertion.FAMILY, 0.008),
    ):
        assert said[assertion] > least * total, assertion


def test_what_is_told_aside_is_not_in_the_summary(charts: list[WrittenChart]) -> None:
    aside = found = silent = 0
    for chart in charts:
        for illness in chart.stay.illnesses:
            places = [
                (note.category, phrase)
                for note in chart.notes
                for _, _, phrase in note.phrases
                if phrase.kind is PhraseKind.CONDITION
                and phrase.row == illness.row
                and phrase.assertion is PhraseAssertion.PRESENT
            ]
            if illness.shown is Shown.ASIDE:
                aside += 1
                found += bool(places)
                assert all(category != "Discharge summary" for category, _ in places)
            if illness.shown is Shown.SILENT:
                silent += 1
                assert not places
    assert aside > 30
    assert silent > 30
    assert found > 0.9 * aside


def test_vague_charts_never_say_exactly_which(charts: list[WrittenChart]) -> None:
    seen = 0
    for chart in charts:
        vague = {i.row: i.coded for i in chart.stay.illnesses if i.shown is Shown.VAGUE}
        for note in chart.notes:
            for _, _, phrase in note.phrases:
                if phrase.row in vague and phrase.assertion is PhraseAssertion.PRESENT:
                    seen += 1
                    assert phrase.form is Form.VAGUE
        supported = {item.row for item in items(chart) if item.kind is PhraseKind.CONDITION}
        assert not supported & (set(vague) - set(vague.values()))
    assert seen > 30


def test_notes_have_the_lengths_of_an_intensive_care_unit(charts: list[WrittenChart]) -> None:
    lengths: dict[str, list[int]] = {}
    for chart in charts:
        for note in chart.notes:
            tokens = len(re.findall(r"\w+|[^\w\s]", note.text))
            lengths.setdefault(note.category, []).append(tokens)
    for category, found in lengths.items():
        found.sort()
        # Tracings are read in a few words; everything else is 300 to 3,000 tokens long.
        if category != "ECG":
            assert 300 <= found[0] <= found[-1] <= 3000, (category, found[0], found[-1])
    assert 1200 < lengths["Discharge summary"][len(lengths["Discharge summary"]) // 2] < 2500
    assert max(lengths["ECG"]) < 200


def test_charts_hold_every_kind_of_note(charts: list[WrittenChart]) -> None:
    kinds = Counter(note.category for chart in charts for note in chart.notes)
    assert {
        "Discharge summary", "Physician", "Radiology", "ECG", "Echo", "Nursing", "Nursing/other",
        "Nutrition", "Respiratory", "Rehab Services",
    } <= kinds.keys()  # fmt: skip
    for chart in charts:
        own = [note.category for note in chart.notes]
        assert 1 <= own.count("Discharge summary") <= 2
        assert [note.row_id for note in chart.notes] == sorted(note.row_id for note in chart.notes)
        times = [note.when for note in chart.notes]
        assert times == sorted(times)
        assert chart.stay.admitted <= times[0]


def test_text_is_copied_forward(charts: list[WrittenChart]) -> None:
    copied = fresh = 0
    for chart in charts:
        plans = [
            note.text.split("Assessment and Plan\n")[1].split("ICU Care")[0].split()
            for note in chart.notes
            if note.category == "Physician" and "24 Hour Events" in note.text
        ]
        for before, after in itertools.pairwise(plans):
            same = before[:60] == after[:60]
            copied += same
            fresh += not same
    assert copied > 10
    assert fresh > 10


def test_sections_are_those_of_mimic(charts: list[WrittenChart]) -> None:
    sections = (
        "Admission Date:", "Date of Birth:", "Service:", "Allergies:", "Attending:",
        "Chief Complaint:", "Major Surgical or Invasive Procedure:",
        "History of Present Illness:", "Past Medical History:", "Social History:",
        "Family History:", "Physical Exam:", "Pertinent Results:", "Brief Hospital Course:",
        "Medications on Admission:", "Discharge Disposition:", "Discharge Diagnosis:",
        "Discharge Condition:", "Discharge Instructions:", "Followup Instructions:",
    )  # fmt: skip
    for chart in charts:
        summary = next(n for n in chart.notes if n.category == "Discharge summary")
        at = [summary.text.find(section) for section in sections]
        assert min(at) >= 0, sections[at.index(min(at))]
        assert at == sorted(at)


def test_text_is_not_all_ascii_and_authors_differ(charts: list[WrittenChart]) -> None:
    letters = {c for chart in charts for note in chart.notes for c in note.text if ord(c) > 127}
    assert {"°", "µ"} <= letters
    assert any(ord(c) > 0xFFFF for c in letters)
    names = {c for chart in charts for note in chart.notes for c in note.real_text if ord(c) > 127}
    assert "é" in names
    authors = {note.author.cgid: note.author for chart in charts for note in chart.notes}
    assert len({author.bullet for author in authors.values()}) >= 5
    assert len({author.typos for author in authors.values()}) > 30


def test_an_abbreviation_means_different_things(charts: list[WrittenChart]) -> None:
    senses: dict[str, set[str]] = {}
    for chart in charts:
        for note in chart.notes:
            for _, _, phrase in note.phrases:
                if phrase.form is Form.SHORT:
                    senses.setdefault(phrase.proper, set()).add(phrase.row)
    for short in ("PE", "RA", "PT", "BS", "AF", "MS"):
        assert len(senses.get(short, ())) >= 2, (short, senses.get(short))
    assert sum(len(rows) > 1 for rows in senses.values()) >= 12


@pytest.mark.parametrize(("sentence", "hedged"), [
    ("Opacity concerning for {it}.", True),
    ("{it}, likely chronic.", False),
    ("Ground-glass opacities, {it} should be considered.", True),
    ("Small {it}, no suspicious nodule.", False),
])  # fmt: skip
def test_hedges_before_the_name_leave_it_open(sentence: str, hedged: bool) -> None:
    from auscult.synth.phrases import is_hedged

    assert is_hedged(sentence) is hedged


def test_what_sentences_name_in_passing_is_marked(world: AuthorContext) -> None:
    marked = world.markup.of("Kidney function fell after pneumonia, without fever; {it} resolved.")
    assert marked == (
        "Kidney function fell after {=pneumonia|pneumonia}, without {-fever|fever}; {it} resolved."
    )
