"""What the synthetic hospital knows of medicine is whole, consistent and coded as published."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from auscult.codes import is_known, is_well_formed
from auscult.core import AuscultError, Code
from auscult.synth import clinical_tables
from auscult.synth.clinical_tables import ClinicalTables, Condition, load

_OWN = re.compile(r"C99[12]\d{4}")
_WITHOUT_GEM: dict[tuple[str, str], str] = {}
"""Pairs of ICD-10-CM and ICD-9-CM codes that no GEM has, with the reason why they stand."""


@pytest.fixture(scope="module")
def known() -> ClinicalTables:
    return load()


def _diagnoses(known: ClinicalTables) -> Iterator[tuple[str, str, str]]:
    """The id and both codes of everything that has a diagnosis code."""
    for table in (known.conditions, known.symptoms, known.externals):
        for row in table.values():
            yield row.id, row.icd10, row.icd9


def _rows(known: ClinicalTables) -> Iterator[tuple[str, str, str]]:
    """The table, id and UMLS concept of every row."""
    for table in ClinicalTables.model_fields:
        for row in getattr(known, table).values():
            yield table, row.id, row.umls


def _sentences(row: Condition) -> Iterator[str]:
    yield from row.course
    for sentences in row.reported.values():
        yield from sentences


def _says(phrase: str, sentence: str) -> bool:
    """Whether the phrase stands in the sentence as words; case counts in short forms."""
    words = rf"(?<!\w){re.escape(phrase)}(?!\w)"
    return re.search(words, sentence, re.IGNORECASE if len(phrase) > 4 else 0) is not None


# -- the whole ------------------------------------------------------------------------------------


def test_it_is_as_large_as_promised(known: ClinicalTables) -> None:
    assert len(known.conditions) >= 120
    assert len(known.procedures) >= 30
    assert len(known.drugs) >= 130
    assert len(known.labs) >= 45


def test_an_id_means_one_thing_in_all_tables(known: ClinicalTables) -> None:
    tables: dict[str, list[str]] = defaultdict(list)
    for table, name, _ in _rows(known):
        tables[name].append(table)
    assert {name: where for name, where in tables.items() if len(where) > 1} == {}


def test_a_concept_stands_for_one_row(known: ClinicalTables) -> None:
    rows: dict[str, list[str]] = defaultdict(list)
    for _, name, concept in _rows(known):
        rows[concept].append(name)
    assert {concept: names for concept, names in rows.items() if len(names) > 1} == {}


def test_concepts_of_our_own_keep_to_their_range(known: ClinicalTables) -> None:
    own = [concept for _, _, concept in _rows(known) if concept.startswith("C99")]
    assert own
    assert [concept for concept in own if not _OWN.fullmatch(concept)] == []


def test_conditions_have_a_code_each(known: ClinicalTables) -> None:
    codes = [row.icd10 for row in known.conditions.values()]
    assert sorted({code for code in codes if codes.count(code) > 1}) == []


# -- codes ----------------------------------------------------------------------------------------


def test_codes_are_well_formed_and_exist(known: ClinicalTables) -> None:
    codes = [
        (name, Code(system, value))
        for name, icd10, icd9 in _diagnoses(known)
        for system, value in (("ICD-10-CM", icd10), ("ICD-9-CM", icd9))
    ]
    for row in known.procedures.values():
        for system, value in (("ICD-10-PCS", row.icd10), ("ICD-9-PCS", row.icd9)):
            if value is not None:
                codes.append((row.id, Code(system, value)))
    assert [item for item in codes if not is_well_formed(item[1])] == []
    assert [item for item in codes if not is_known(item[1])] == []


def test_procedures_have_a_code(known: ClinicalTables) -> None:
    bare = [row.id for row in known.procedures.values() if not (row.icd10 or row.icd9 or row.cpt)]
    assert bare == []
    cpt = [Code("CPT", row.cpt) for row in known.procedures.values() if row.cpt is not None]
    assert [code for code in cpt if not is_well_formed(code)] == []


@pytest.mark.real
def test_diagnosis_codes_are_billable_in_2018(known: ClinicalTables, shared_data: Path) -> None:
    order = (shared_data / "icd" / "icd10cm_order_2018.txt").read_text(encoding="utf-8")
    billable = {line[6:13].strip() for line in order.splitlines() if line[14:15] == "1"}
    assert len(billable) == 71_704
    missing = [
        (name, icd10)
        for name, icd10, _ in _diagnoses(known)
        if icd10.replace(".", "") not in billable
    ]
    assert missing == []


@pytest.mark.real
def test_icd9_equivalents_are_those_of_the_gems(known: ClinicalTables, shared_data: Path) -> None:
    pairs = _pairs(shared_data / "gems" / "2018_I10gem.txt")
    pairs |= {(new, old) for old, new in _pairs(shared_data / "gems" / "2018_I9gem.txt")}
    strangers = {
        (icd10, icd9)
        for _, icd10, icd9 in _diagnoses(known)
        if (icd10.replace(".", ""), icd9.replace(".", "")) not in pairs
    }
    assert strangers == set(_WITHOUT_GEM)


@pytest.mark.real
def test_procedure_equivalents_are_those_of_the_gems(
    known: ClinicalTables, shared_data: Path
) -> None:
    pairs = _pairs(shared_data / "gems" / "gem_pcsi9.txt")
    pairs |= {(new, old) for old, new in _pairs(shared_data / "gems" / "gem_i9pcs.txt")}
    strangers = [
        (row.id, row.icd10, row.icd9)
        for row in known.procedures.values()
        if row.icd10 is not None
        and row.icd9 is not None
        and (row.icd10, row.icd9.replace(".", "")) not in pairs
    ]
    assert strangers == []


def _pairs(file: Path) -> set[tuple[str, str]]:
    rows = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    return {(row[0], row[1]) for row in rows if len(row) == 3}


@pytest.mark.real
def test_concepts_that_the_disease_ontology_names_are_not_something_else(
    known: ClinicalTables, shared_data: Path
) -> None:
    """Where the ontology has our concept, it or its synonyms share a word with what we call it."""
    table = (shared_data / "doid" / "allXREFinDO.tsv").read_text(encoding="utf-8")
    named: dict[str, set[str]] = defaultdict(set)
    for line in table.splitlines()[1:]:
        _, name, concept = (cell.strip('"') for cell in line.split("\t"))
        if concept.startswith("UMLS_CUI:"):
            named[concept.removeprefix("UMLS_CUI:")] |= _stems(name)
    seen = [row for row in known.conditions.values() if row.umls in named]
    assert len(seen) >= 60
    assert [row.id for row in seen if not named[row.umls] & _stems(_all_words(row))] == []


def _all_words(row: Condition) -> str:
    return " ".join((row.name, *row.synonyms))


def _stems(words: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[a-z]{4,}", words.lower())}


# -- language -------------------------------------------------------------------------------------


def test_conditions_have_words(known: ClinicalTables) -> None:
    for row in known.conditions.values():
        assert row.synonyms, row.id
        for phrases in (row.synonyms, row.abbreviations, row.vague, row.lay):
            assert len({phrase.lower() for phrase in phrases}) == len(phrases), row.id
            assert all(phrase == phrase.strip() != "" for phrase in phrases), row.id


def test_exact_phrases_are_not_shared(known: ClinicalTables) -> None:
    """A phrase that says exactly one condition cannot say another; short forms may."""
    owners: dict[str, set[str]] = defaultdict(set)
    for row in known.conditions.values():
        for phrase in (row.name, *row.synonyms):
            owners[phrase.lower()].add(row.id)
    assert {phrase: names for phrase, names in owners.items() if len(names) > 1} == {}


def test_vague_phrases_are_not_exact_ones(known: ClinicalTables) -> None:
    for row in known.conditions.values():
        exact = {phrase.lower() for phrase in (row.name, *row.synonyms, *row.abbreviations)}
        assert [phrase for phrase in row.vague if phrase.lower() in exact] == [], row.id


def test_short_forms_are_as_ambiguous_as_in_the_field(known: ClinicalTables) -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    for table in (
        known.conditions,
        known.procedures,
        known.symptoms,
        known.drugs,
        known.labs,
        known.terms,
    ):
        for row in table.values():
            for short in row.abbreviations:
                meanings[short].add(row.id)
    assert {"mitral_stenosis", "multiple_sclerosis", "mental_status", "morphine"} <= meanings["MS"]
    assert {"acute_kidney_injury", "acute_resp_failure"} <= meanings["ARF"]
    assert {"rheumatoid_arthritis", "right_atrium", "room_air"} <= meanings["RA"]
    for short in ("PE", "MI", "AF", "PT", "AI"):
        assert len(meanings[short]) >= 2, short


def test_sentences_name_their_condition_once(known: ClinicalTables) -> None:
    for row in known.conditions.values():
        assert row.course, row.id
        for sentence in _sentences(row):
            assert sentence.count("{it}") == 1, (row.id, sentence)


def test_findings_do_not_name_their_condition(known: ClinicalTables) -> None:
    for row in known.conditions.values():
        for sentences in row.findings.values():
            for sentence in sentences:
                assert "{" not in sentence, (row.id, sentence)
                for phrase in (row.name, *row.synonyms, *row.abbreviations):
                    assert not _says(phrase, sentence), (row.id, phrase, sentence)


# -- medicine -------------------------------------------------------------------------------------


def test_vague_phrases_lead_to_another_code_and_never_round_in_circles(
    known: ClinicalTables,
) -> None:
    for row in known.conditions.values():
        passed = [row.id]
        at = row
        while at.less_specific is not None:
            at = known.conditions[at.less_specific]
            assert at.id not in passed, passed
            passed.append(at.id)
        if row.less_specific is not None:
            assert row.vague, row.id
            assert known.conditions[row.less_specific].icd10 != row.icd10


def test_families_of_codes_are_there(known: ClinicalTables) -> None:
    codes = {row.icd10 for row in known.conditions.values()}
    for family in (
        ("I50.9", "I50.21", "I50.22", "I50.23", "I50.32", "I50.33"),
        ("N18.3", "N18.4", "N18.6", "N18.9"),
        ("E11.9", "E11.22", "E11.40", "E11.65"),
        ("J44.0", "J44.1", "J44.9"),
        ("I21.4", "I21.09", "I21.19"),
        ("I48.0", "I48.2", "I48.91"),
        ("J96.00", "J96.01", "J96.20"),
    ):
        assert set(family) <= codes


def test_prevalence_has_a_long_tail(known: ClinicalTables) -> None:
    shares = sorted((row.prevalence for row in known.conditions.values()), reverse=True)
    assert shares[0] == known.conditions["hypertension"].prevalence
    assert shares[-1] <= 0.002
    assert shares[len(shares) // 10] > 4 * shares[len(shares) // 2]
    # An admission has about ten codes, as in the databases this imitates.
    assert 6 < sum(shares) < 14


def test_ages_and_multipliers_make_sense(known: ClinicalTables) -> None:
    for row in known.conditions.values():
        assert 0 <= row.ages[0] < row.ages[1] <= 100, row.id
        assert row.id not in row.risks, row.id
        assert row.id not in row.confused_with, row.id
        assert all(0 < times <= 400 for times in row.risks.values()), row.id


def test_readmission_depends_on_few_conditions_strongly(known: ClinicalTables) -> None:
    weights = {row.id: row.readmission for row in known.conditions.values()}
    for name in ("heart_failure", "copd_exacerbation", "end_stage_renal_disease", "cirrhosis"):
        assert weights[name] >= 0.3, name
    assert any(weight < -0.1 for weight in weights.values())
    near_nothing = [weight for weight in weights.values() if abs(weight) <= 0.25]
    assert len(near_nothing) > 0.6 * len(weights)
    assert max(map(abs, weights.values())) <= 1.0


def test_labs_that_are_off_can_be(known: ClinicalTables) -> None:
    for lab in known.labs.values():
        assert lab.normal[0] < lab.normal[1], lab.id
        assert lab.low is None or lab.low[0] < lab.low[1] < lab.normal[0], lab.id
        assert lab.high is None or lab.normal[1] < lab.high[0] < lab.high[1], lab.id
    for row in known.conditions.values():
        for name, way in row.labs.items():
            assert getattr(known.labs[name], way) is not None, (row.id, name, way)


def test_only_injuries_have_external_causes(known: ClinicalTables) -> None:
    assert [r.id for r in known.conditions.values() if r.external and r.kind != "injury"] == []


# -- the reader -----------------------------------------------------------------------------------

_CONDITION = """
[[condition]]
id = "{id}"
name = "a disease"
umls = "C9910000"
icd10 = "I10"
icd9 = "401.9"
system = "cardiovascular"
kind = "chronic"
prevalence = 0.1
synonyms = ["a disease"]
confused_with = ["{other}"]
"""


def _read(folder: Path, monkeypatch: pytest.MonkeyPatch, *rows: str) -> ClinicalTables:
    (folder / "tables").mkdir()
    (folder / "tables" / "some.toml").write_text("".join(rows), encoding="utf-8")
    monkeypatch.setattr(clinical_tables, "files", lambda _: folder)
    return load.__wrapped__()


def test_a_table_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [_CONDITION.format(id=a, other=b) for a, b in (("one", "two"), ("two", "one"))]
    assert list(_read(tmp_path, monkeypatch, *rows).conditions) == ["one", "two"]


def test_a_reference_to_nothing_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AuscultError, match="one names the condition 'nowhere'"):
        _read(tmp_path, monkeypatch, _CONDITION.format(id="one", other="nowhere"))


def test_an_id_given_twice_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AuscultError, match="the condition 'one' is defined twice"):
        _read(tmp_path, monkeypatch, *[_CONDITION.format(id="one", other="one")] * 2)
