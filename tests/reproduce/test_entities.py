"""The entities' numbers from the authors' kind of data, counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.reproduce.small import work_in

from auscult.codes.concept import Concept
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus, formats
from auscult.reproduce.contract import Basis, Measured
from auscult.reproduce.entities.names import is_name
from auscult.reproduce.registry import named
from auscult.reproduce.run import ReproductionResult, run

TEXT = "Severe asthma exacerbation on arrival. Took aspirin. No fever today."
NOTE = Note("n1", "c1", text=TEXT, read_by=("annotator_1", "annotator_2", "metamap", "ctakes"))
WHOLE, ASTHMA, ASPIRIN, FEVER = "C0038218", "C0004096", "C0004057", "C0015967"
TYPES = {
    # The hospital's vocabulary calls fever a sign or symptom; the user's decides.
    WHOLE: ("Disease or Syndrome",), ASTHMA: ("Disease or Syndrome",), FEVER: ("Finding",),
    ASPIRIN: ("Pharmacologic Substance", "Organic Chemical"),
}  # fmt: skip


def marked(who: str, *rows: tuple[str, str], note: Note = NOTE) -> list[Annotation]:
    made = []
    for quote, concept in rows:
        begin = (note.text or "").index(quote)
        span = Span(begin, begin + len(quote))
        made.append(Annotation(who, Code("UMLS", concept), note.chart_id, note.note_id, (span,)))
    return made


FOUR = (
    *marked("annotator_1", ("Severe asthma exacerbation", WHOLE), ("asthma", ASTHMA),
            ("aspirin", ASPIRIN)),
    *marked("annotator_2", ("asthma", ASTHMA), ("aspirin", "C0000001"), ("fever", FEVER),
            ("today", "CUI-less")),
    *marked("metamap", ("asthma", ASTHMA), ("aspirin", "C9999999"), ("fever", FEVER),
            ("arrival", "C8888888")),
    *marked("ctakes", ("asthma", ASTHMA)),
)  # fmt: skip


@pytest.fixture
def concepts(tmp_path: Path) -> Path:
    Corpus.of([NOTE], FOUR).write(tmp_path / "concepts")
    return tmp_path / "concepts"


@pytest.fixture
def umls(tmp_path: Path) -> Path:
    folder = tmp_path / "META"
    folder.mkdir()
    rows = "".join(
        f"{cui}|ENG|P|L1|PF|S1|Y|A1||||{source}|PT|{cui}|name of {cui}|0|N|256|\n"
        for cui in TYPES
        for source in ("SNOMEDCT_US", "RXNORM")
    )
    (folder / "MRCONSO.RRF").write_text(rows, encoding="utf-8")
    kinds = "".join(
        f"{cui}|T047|B2|{kind}|AT1|256|\n" for cui, every in TYPES.items() for kind in every
    )
    (folder / "MRSTY.RRF").write_text(kinds, encoding="utf-8")
    return folder


def ran(name: str, folder: Path, **sources: Path) -> ReproductionResult:
    [result] = run([named(name)], work_in(folder, **sources))
    return result


def numbers(result: ReproductionResult) -> dict[str, Measured]:
    assert result.failed is None
    assert result.found is not None
    return dict(result.found.numbers)


def values(found: dict[str, Measured], row: str, columns: Sequence[str]) -> list[float | None]:
    return [found[f"{row} · {column}"].value for column in columns]


THREE = ("% Spans", "% CUIs", "CUI precision")


def test_the_authors_corpus_gives_every_row_of_table_3(
    concepts: Path, umls: Path, tmp_path: Path
) -> None:
    """Gold is the union of both: four spans with a concept, in the types of the user's UMLS."""
    result = ran("entities-table-3", tmp_path / "work", concepts=concepts, umls=umls)
    found = numbers(result)
    assert {one.basis for one in found.values()} == {Basis.REAL}
    assert result.stand_in is None
    assert {one.by for one in found.values()} == {None}
    all_types = values(found, "All types", [f"MetaMap {one}" for one in THREE])
    assert all_types == [75.0, 50.0, pytest.approx(200 / 3)]
    assert values(found, "All types", [f"cTAKES {one}" for one in THREE]) == [25.0, 25.0, 100.0]
    in_data = {
        row: found[f"{row} · # in data"].value
        for row in ("All types", "Disease or Syndrome", "Finding", "Pharmacologic Substance",
                    "Organic Chemical", "Sign or Symptom", "Temporal Concept")
    }  # fmt: skip
    assert in_data == {
        "All types": 4, "Disease or Syndrome": 2, "Finding": 1, "Pharmacologic Substance": 1,
        "Organic Chemical": 1, "Sign or Symptom": None, "Temporal Concept": None,
    }  # fmt: skip
    compounds = ("all", "recovered", "missed", "missed, with a part right")
    assert values(found, "Compounds", compounds) == [1, 0, 1, 1]


def test_without_the_umls_there_are_no_types_of_somebody_else_s_vocabulary(
    concepts: Path, tmp_path: Path
) -> None:
    found = numbers(ran("entities-table-3", tmp_path / "work", concepts=concepts))
    assert found["All types · # in data"].value == 4
    assert "--umls" in (found["Disease or Syndrome · # in data"].undefined or "")


def test_the_authors_corpus_gives_their_agreement(concepts: Path, tmp_path: Path) -> None:
    """Three and four spans, five in all; of the two shared, one has the same concept."""
    found = numbers(ran("entities-agreement", tmp_path / "work", concepts=concepts))
    assert values(found, "Spans", ("Annotator 1", "Annotator 2", "in all")) == [3, 4, 5]
    assert found["Agreement · Jaccard of spans"].value == pytest.approx(0.4)
    assert found["Agreement · same concept on shared spans, %"].value == pytest.approx(50.0)
    assert {one.basis for one in found.values()} == {Basis.REAL}


def test_a_corpus_without_a_system_is_one_sentence(tmp_path: Path) -> None:
    place = tmp_path / "concepts"
    Corpus.of([NOTE], [one for one in FOUR if one.annotator != "metamap"]).write(place)
    result = ran("entities-table-3", tmp_path / "work", concepts=place)
    assert result.failed is not None
    assert "no annotations by metamap" in result.failed


@pytest.fixture
def mcn(tmp_path: Path) -> Path:
    """Two training notes and one for testing, in MCN's own files."""
    train = [Note(f"t{at}", f"t{at}", text=TEXT, split="train") for at in (1, 2)]
    test = Note("n1", "n1", text=TEXT, split="test")
    said = [
        *marked("gold", ("asthma", ASTHMA), ("fever", FEVER), ("today", "CUI-less"), note=train[0]),
        *marked("gold", ("asthma", ASTHMA), note=train[1]),
        *marked("gold", ("asthma exacerbation", WHOLE), ("aspirin", ASPIRIN), ("fever", FEVER),
                ("today", "CUI-less"), note=test),
    ]  # fmt: skip
    formats.write("mcn", Corpus.of([*train, test], said), tmp_path / "mcn")
    (tmp_path / "systems").mkdir()
    outputs = {
        "metamap": marked("m", ("asthma", ASTHMA), ("aspirin", ASPIRIN), note=test),
        "ctakes": marked("c", ("Severe asthma exacerbation", WHOLE), ("today", FEVER), note=test),
    }
    for name, rows in outputs.items():
        formats.write("mcn", Corpus.of([test], rows), tmp_path / "systems" / name)
    return tmp_path


def test_the_training_data_of_section_3_2(mcn: Path, tmp_path: Path) -> None:
    found = numbers(ran("entities-section-3-2", tmp_path / "work", mcn=mcn / "mcn"))
    # Four annotations, of two concepts: CUI-less is none.
    assert [one.value for one in found.values()] == [4, 2, 75.0]
    assert {one.basis for one in found.values()} == {Basis.REAL}


def test_the_lenient_accuracy_of_section_3_3(mcn: Path, tmp_path: Path) -> None:
    """MetaMap has aspirin, and says nothing of what has no concept: two of four. cTAKES has the
    compound by a longer span, and gives a concept to what has none: one of four. Three of either.
    """
    sources = {"mcn": mcn / "mcn", "mcn_systems": mcn / "systems"}
    found = numbers(ran("entities-section-3-3", tmp_path / "work", **sources))
    assert {key.split(" · ")[0]: one.value for key, one in found.items()} == {
        "MetaMap": 50.0, "cTAKES": 25.0, "Both pooled": 75.0,
    }  # fmt: skip
    assert {one.basis for one in found.values()} == {Basis.REAL}


def test_a_stand_in_is_never_called_metamap(tmp_path: Path) -> None:
    result = ran("entities-table-3", tmp_path / "work")
    for key, one in numbers(result).items():
        if one.value is not None and ("MetaMap" in key or "cTAKES" in key):
            assert one.by in ("a dictionary of names and training strings",
                              "an NER model with a linker")  # fmt: skip
    assert result.stand_in is not None
    assert "instead of MetaMap a dictionary" in result.stand_in


def test_a_name_is_exactly_a_name(tmp_path: Path) -> None:
    """Not the same words in another order, and not what an abbreviation stands for."""
    concepts = [
        Concept(Code("UMLS", "C1"), "Severe asthma exacerbation"),
        Concept(Code("UMLS", "C2"), "Chronic obstructive pulmonary disease"),
    ]
    vocabulary = Vocabulary.build(concepts, tmp_path / "small")
    assert is_name(vocabulary, "severe  Asthma exacerbation")
    for text in ("exacerbation asthma severe", "severe asthma", "COPD", "asthma"):
        assert not is_name(vocabulary, text)
