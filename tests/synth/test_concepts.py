"""Nested concepts in notes, and the vocabulary they come from."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict

import pytest
from tests.synth.conftest import Hospital

from auscult.codes import CUI_LESS
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus
from auscult.corpus.doctor.finding import Severity
from auscult.corpus.doctor.guidelines import check_guidelines
from auscult.synth.charts import WrittenChart
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.concepts import Marker
from auscult.synth.note_parts import Form, PhraseKind
from auscult.synth.semantic_types import TYPES
from auscult.synth.vocabulary import SynthVocabulary

Spans = dict[tuple[str, int, int], set[str]]


@pytest.fixture(scope="module")
def vocabulary(known: ClinicalTables) -> SynthVocabulary:
    return SynthVocabulary(known)


@pytest.fixture(scope="module")
def marked(hospital: Hospital) -> dict[str, Spans]:
    found: dict[str, Spans] = {"gold": defaultdict(set), "second": defaultdict(set)}
    for line in hospital.lines("concepts/annotations.jsonl"):
        assert line["system"] == "UMLS"
        found[line["annotator"]][line["note_id"], *line["spans"][0]].add(line["code"])
    return found


def test_spans_are_whole_words(marked: dict[str, Spans], hospital: Hospital) -> None:
    for spans in marked.values():
        for note_id, begin, end in spans:
            text = hospital.texts[note_id]
            assert text[begin:end].strip() == text[begin:end] != ""
            assert begin == 0 or not (text[begin - 1].isalpha() and text[begin].isalpha())
            assert end == len(text) or not (text[end - 1].isalpha() and text[end].isalpha())


def test_spans_nest_and_never_cross_in_gold(marked: dict[str, Spans]) -> None:
    by_note: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for note_id, begin, end in marked["gold"]:
        by_note[note_id].append((begin, end))
    nested = crossing = 0
    for spans in by_note.values():
        spans.sort(key=lambda span: (span[0], -span[1]))
        open_: list[tuple[int, int]] = []
        for begin, end in spans:
            while open_ and open_[-1][1] <= begin:
                open_.pop()
            if open_:
                nested += 1
                crossing += end > open_[-1][1]
            open_.append((begin, end))
    assert nested > 1000
    assert crossing < 0.01 * nested


def test_masks_are_not_marked(marked: dict[str, Spans], hospital: Hospital) -> None:
    for note_id, begin, _end in marked["gold"]:
        text = hospital.texts[note_id]
        before = text.rfind("[**", 0, begin)
        assert before < 0 or text.find("**]", before) < begin


def test_several_concepts_and_none(marked: dict[str, Spans]) -> None:
    gold = marked["gold"]
    several = sum(len(codes) > 1 for codes in gold.values())
    without = sum(codes == {CUI_LESS} for codes in gold.values())
    assert several > 0.03 * len(gold)
    assert 0.005 * len(gold) < without < 0.08 * len(gold)
    assert all(len(codes) == 1 for codes in gold.values() if CUI_LESS in codes)


def test_gold_keeps_to_the_guidelines(hospital: Hospital) -> None:
    said = [
        Annotation(
            "gold",
            Code(line["system"], line["code"]),
            line["chart_id"],
            line["note_id"],
            tuple(Span(*span) for span in line["spans"]),
        )
        for line in hospital.lines("concepts/annotations.jsonl")
        if line["annotator"] == "gold"
    ]
    notes = {one.note_id or "": one.chart_id for one in said}
    corpus = Corpus.of(
        [Note(note_id, chart, text=hospital.texts[note_id]) for note_id, chart in notes.items()],
        said,
    )
    found = list(check_guidelines(corpus, show_text=False, examples=1))
    assert [one.check for one in found if one.severity is not Severity.REMARK] == []


def test_repeated_terms_are_marked_each_time(
    charts: list[WrittenChart], vocabulary: SynthVocabulary
) -> None:
    marker = Marker(vocabulary)
    note = next(n for n in charts[0].notes if n.category == "Discharge summary")
    words = Counter(note.text[m.begin : m.end].lower() for m in marker.marks(note))
    assert words.most_common(1)[0][1] >= 4
    for begin, end, phrase in note.phrases:
        marks = {(m.begin, m.end): m.cuis for m in marker.marks(note)}
        assert marks[begin, end] == vocabulary.cuis[phrase.kind, phrase.row]
        break


def test_abbreviations_are_marked_as_meant_and_not_taken_apart(
    charts: list[WrittenChart], vocabulary: SynthVocabulary
) -> None:
    marker = Marker(vocabulary)
    checked = 0
    for chart in charts[:8]:
        for note in chart.notes:
            marks = marker.marks(note)
            at = {(m.begin, m.end): m for m in marks}
            for begin, end, phrase in note.phrases:
                if phrase.form is Form.SHORT:
                    checked += 1
                    assert at[begin, end].cuis == vocabulary.cuis[phrase.kind, phrase.row]
                    inner = [m for m in marks if begin <= m.begin and m.end <= end]
                    assert len(inner) == 1
    assert checked > 200


def test_the_second_annotator_is_like_a_second_annotator(marked: dict[str, Spans]) -> None:
    gold, second = marked["gold"], marked["second"]
    both = gold.keys() & second.keys()
    jaccard = len(both) / len(gold.keys() | second.keys())
    # The paper's annotators reached 0.73, and 82.6% of concepts on the spans they shared.
    assert 0.68 < jaccard < 0.86
    agree = sum(bool(gold[span] & second[span]) for span in both) / len(both)
    assert 0.78 < agree < 0.95


def test_rrf_files_have_the_umls_columns(hospital: Hospital) -> None:
    folder = hospital.path / "vocabulary"
    conso = (folder / "MRCONSO.RRF").read_text(encoding="utf-8").splitlines()
    assert all(line.endswith("|") and line.count("|") == 18 for line in conso)
    rows = list(csv.reader(conso, delimiter="|", quoting=csv.QUOTE_NONE))
    assert {row[1] for row in rows} == {"ENG", "SPA"}
    assert {"SNOMEDCT_US", "RXNORM"} <= {row[11] for row in rows}
    assert {"N", "O"} == {row[16] for row in rows}
    assert len({row[7] for row in rows}) == len(rows)
    preferred = Counter(row[0] for row in rows if row[6] == "Y" and row[16] == "N")
    assert set(preferred.values()) == {1}
    sty = (folder / "MRSTY.RRF").read_text(encoding="utf-8").splitlines()
    assert all(line.endswith("|") and line.count("|") == 6 for line in sty)
    types = {tuple(line.split("|")[1:4]) for line in sty}
    assert types <= {(tui, tree, name) for name, (tui, tree) in TYPES.items()}
    assert {line.split("|")[0] for line in sty} == {row[0] for row in rows}


def test_gold_concepts_are_in_the_vocabulary_and_names_are_ambiguous(
    hospital: Hospital, marked: dict[str, Spans]
) -> None:
    names: dict[str, set[str]] = defaultdict(set)
    for line in (hospital.path / "vocabulary" / "MRCONSO.RRF").open(encoding="utf-8"):
        row = line.split("|")
        if row[16] == "N":
            names[row[14].lower()].add(row[0])
    concepts = {cui for owners in names.values() for cui in owners}
    used = {code for codes in marked["gold"].values() for code in codes} - {CUI_LESS}
    assert used <= concepts
    assert len(concepts - used) > 100
    assert sum(len(owners) > 1 for owners in names.values()) > 40
    direct = total = 0
    for (note_id, begin, end), codes in marked["gold"].items():
        words = hospital.texts[note_id][begin:end].replace("\n", " ").lower()
        if CUI_LESS not in codes:
            total += 1
            direct += bool(names.get(words, set()) & codes)
    # Looking a span up finds most concepts, but by no means all.
    assert 0.7 < direct / total < 0.97


def test_rows_left_out_have_no_concept(vocabulary: SynthVocabulary, known: ClinicalTables) -> None:
    left_out = [key for key, cuis in vocabulary.cuis.items() if not cuis]
    assert 15 < len(left_out) < 80
    there = {concept.cui for concept in vocabulary.concepts}
    for kind, row in left_out:
        if kind is PhraseKind.TERM:
            others = [k for k, c in vocabulary.cuis.items() if known.terms[row].umls in c]
            assert bool(others) == (known.terms[row].umls in there)
