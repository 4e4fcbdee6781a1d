"""The clinicians' table: every row of it, and how a phrase is spelled out."""

from __future__ import annotations

from collections import Counter

from auscult.codes.chapters import find_chapter
from auscult.codes.icd10 import CHAPTERS
from auscult.codes.lookup.clinicians import (
    ClinicianTable,
    Wording,
    WordingKind,
    clinician_table,
    wording_files,
)
from auscult.codes.lookup.readings import PhraseQuery, QueryReadings
from auscult.codes.lookup.words import words_of
from auscult.codes.tabular.current import tabular_list


def test_every_row_has_a_billable_code_or_none() -> None:
    book = tabular_list()
    assert [
        one.term
        for one in clinician_table().wordings
        if one.code and not book.is_billable(one.code)
    ] == []


def test_rows_are_whole_and_stand_in_their_chapter() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for file in wording_files():
        header, *lines = file.read_text(encoding="utf-8").splitlines()
        assert header.split("\t") == ["term", "means", "code", "kind", "hint", "common"]
        chapters = set()
        for line in lines:
            term, means, code, kind, _, common = line.split("\t")
            assert term.strip() == term != "", line
            assert words_of(term), line
            assert means or code, line
            assert kind in set(WordingKind), line
            assert common in "0123", line
            seen[term.lower(), code] += 1
            within = find_chapter(code, CHAPTERS["ICD-10-CM"]) if code else None
            chapters.add("" if within is None else within.number)
        assert len(chapters) == 1, file.name
    assert [pair for pair, count in seen.items() if count > 1] == []


def test_it_is_large_and_covers_all_chapters() -> None:
    table = clinician_table()
    assert len([one for one in table.wordings if one.code]) >= 2_500
    chapters = {find_chapter(one.code, CHAPTERS["ICD-10-CM"]) for one in table.wordings if one.code}
    assert len(chapters) == 22


def test_ambiguous_abbreviations_have_several_senses() -> None:
    readings = QueryReadings(clinician_table(), {})
    for term in ("PE", "MS", "RA", "CP"):
        texts = {reading.text for reading in readings.of(PhraseQuery.of(term))}
        assert len(texts) >= 3, term  # as it stands, and in two senses at least


def test_a_phrase_is_spelled_out() -> None:
    readings = QueryReadings(clinician_table(), {})
    texts = [reading.text for reading in readings.of(PhraseQuery.of("acute CHF w/o edema"))]
    assert texts[0] == "acute CHF w/o edema"
    assert any("acute congestive heart failure without edema" in text for text in texts)


def test_hints_decide_and_need_no_context_where_there_is_one_sense() -> None:
    senses = (
        Wording("XY", "the lung", "J18.9", WordingKind.ABBREVIATION, frozenset({"cough"}), 1),
        Wording("XY", "the knee", "M17.9", WordingKind.ABBREVIATION, frozenset({"limp"}), 2),
        Wording("AB", "alone", "I10", WordingKind.ABBREVIATION, frozenset(), 1),
    )
    table = ClinicianTable(senses)
    assert [one.means for one in table.meanings(["xy"], [True], frozenset)] == [
        "the knee",
        "the lung",
    ]
    cough = table.meanings(["xy"], [True], lambda: frozenset({"cough"}))
    assert [one.means for one in cough] == ["the lung", "the knee"]

    def never() -> frozenset[str]:
        raise AssertionError

    assert [one.means for one in table.meanings(["ab"], [True], never)] == ["alone"]
