"""Every kind of coder of concepts through one suite, and what each must be able to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auscult.coders import SPAN_CODERS
from auscult.coders.coder import Coder
from auscult.coders.concepts.coder import ConceptCoder, places_of
from auscult.coders.concepts.fitting import fit_concepts, train_concepts
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, AuscultError, Code, Note, OptionError, Span
from auscult.corpus.corpus import Corpus

Key = tuple[str | None, tuple[Span, ...]]


@pytest.fixture(scope="module", params=SPAN_CODERS)
def coder(request: pytest.FixtureRequest, corpus: Corpus, place: Path) -> ConceptCoder:
    return fit_concepts(corpus, request.param, {"vocabulary": str(place)})


@pytest.fixture(scope="module")
def held_out(corpus: Corpus) -> Corpus:
    return corpus.select(splits=["test"])


def read(coder: ConceptCoder, part: Corpus, **options: Any) -> list[Annotation]:
    places = places_of(part.iter_annotations()) if coder.learner.needs_places else None
    return list(coder.annotate(part.iter_notes(), places, **options))


def by_span(annotations: Any) -> dict[Key, set[str]]:
    found: dict[Key, set[str]] = {}
    for annotation in annotations:
        found.setdefault((annotation.note_id, annotation.spans), set()).add(annotation.code.value)
    return found


def test_it_finds_the_spans_nested_ones_too(coder: ConceptCoder, held_out: Corpus) -> None:
    gold = by_span(held_out.iter_annotations())
    found = by_span(read(coder, held_out))
    shared = len(gold.keys() & found.keys())
    assert shared / len(gold) > 0.9
    assert shared / len(found) > 0.9


def test_it_says_what_they_mean(coder: ConceptCoder, held_out: Corpus) -> None:
    if coder.about.kind == "tagger":
        assert {a.code.value for a in read(coder, held_out)} == {"CUI-less"}
        return
    gold = by_span(held_out.iter_annotations())
    found = by_span(read(coder, held_out))
    right = [found.get(key) == codes for key, codes in gold.items()]
    assert sum(right) / len(right) > 0.9


def test_context_decides_what_a_short_form_means(corpus: Corpus, place: Path) -> None:
    for kind in ("vocabulary", "normaliser"):
        made = fit_concepts(corpus, kind, {"vocabulary": str(place)})
        texts = {
            "C0033707": "Labs: PT 13 seconds, INR 1.0, coagulation checked again.",
            "C0949766": "Consult PT for gait training and exercises tomorrow.",
        }
        for value, text in texts.items():
            at = text.index("PT")
            note = Note("x", "x", text=text)
            found = [a.code.value for a in made.annotate([note], {"x": [(Span(at, at + 2),)]})]
            assert found == [value], kind


def test_annotations_are_sound(coder: ConceptCoder, corpus: Corpus) -> None:
    notes = {note.note_id: note for note in corpus.iter_notes()}
    found = read(coder, corpus, annotator="me")
    assert found
    for annotation in found:
        assert annotation.annotator == "me"
        assert annotation.score is not None
        assert 0 <= annotation.score <= 1
        text = notes[annotation.note_id or ""].text or ""
        for span in annotation.spans:
            assert span.of(text).strip() == span.of(text) != ""


def test_saved_and_loaded_it_says_the_same(
    coder: ConceptCoder, held_out: Corpus, tmp_path: Path
) -> None:
    coder.save(tmp_path / "coder")
    loaded = ConceptCoder.load(tmp_path / "coder")
    assert read(loaded, held_out) == read(coder, held_out)
    assert loaded.about == coder.about
    suffixes = {file.suffix for file in (tmp_path / "coder").rglob("*")}
    assert not {".pkl", ".pickle", ".joblib", ".pt", ".bin"} & suffixes


def test_the_same_seed_learns_the_same(
    coder: ConceptCoder, corpus: Corpus, held_out: Corpus, place: Path
) -> None:
    again = fit_concepts(corpus, coder.about.kind, {"vocabulary": str(place)})
    assert read(again, held_out) == read(coder, held_out)


def test_a_note_is_read_the_same_whatever_is_read_with_it(
    coder: ConceptCoder, held_out: Corpus
) -> None:
    together = read(coder, held_out)
    for note in list(held_out.iter_notes())[:4]:
        alone = held_out.select(charts=[note.chart_id])
        assert read(coder, alone) == [a for a in together if a.note_id == note.note_id]


def test_notes_of_any_text_are_read(coder: ConceptCoder) -> None:
    texts = ["", " \n\n", "🫀 PT’s asthma\r\n\u200bİ ß", "x" * 5_000, "PT " * 2_000, "((((", "."]
    notes = [Note(f"t{at}", "t", text=text) for at, text in enumerate(texts)]
    notes.append(Note("none", "t"))
    places: dict[str, list[tuple[Span, ...]]] = {
        "t2": [(Span(2, 4),), (Span(0, 1), Span(7, 13))],
        "t0": [],
        "t5": [(Span(0, 4),)],
    }
    list(coder.annotate(notes, places if coder.learner.needs_places else None))


def test_concepts_of_the_other_splits_are_not_learnt(corpus: Corpus, place: Path) -> None:
    odd = Annotation("gold", Code("UMLS", "C1234567"), "c59", "n59", (Span(0, 8),))
    more = corpus.with_annotations([odd])
    made = fit_concepts(more, "normaliser", {"vocabulary": str(place)})
    note = Note("x", "x", text="Admitted")
    found = list(made.annotate([note], {"x": [(Span(0, 8),)]}))
    assert [a.code.value for a in found] != ["C1234567"]


def test_it_knows_the_charts_it_learnt_from(coder: ConceptCoder) -> None:
    assert coder.has_seen(["c0", "c59", "other"]) == ["c0"]


def test_what_is_wrong_is_said(corpus: Corpus, place: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="needs a vocabulary: --set vocabulary=PATH"):
        fit_concepts(corpus, "normaliser")
    with pytest.raises(OptionError, match=r"no setting of the coder tagger 'layers'"):
        fit_concepts(corpus, "tagger", {"layers": 3})
    with pytest.raises(OptionError, match=r"no coder of concepts 'taggr'\. Did you mean tagger"):
        fit_concepts(corpus, "taggr")
    with pytest.raises(AuscultError, match="has an annotation with spans"):
        fit_concepts(corpus.select(annotators=[]), "tagger")
    made = train_concepts(corpus, tmp_path / "n", "normaliser", {"vocabulary": str(place)})
    with pytest.raises(OptionError, match="finds none itself"):
        list(made.annotate(corpus.iter_notes()))
    with pytest.raises(OptionError, match="exists already"):
        train_concepts(corpus, tmp_path / "n", "normaliser", {"vocabulary": str(place)})
    with pytest.raises(OptionError, match=r"coder of concepts \(normaliser\)"):
        Coder.load(tmp_path / "n")


def test_another_vocabulary_is_refused_and_a_moved_one_found(
    corpus: Corpus, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    Vocabulary.build(list(vocabulary), here)
    train_concepts(corpus, tmp_path / "n", "vocabulary", {"vocabulary": str(here)})
    here.rename(tmp_path / "there")
    with pytest.raises(OptionError, match="Say where it is with --vocabulary"):
        ConceptCoder.load(tmp_path / "n")
    assert ConceptCoder.load(tmp_path / "n", tmp_path / "there").about.kind == "vocabulary"
    Vocabulary.build(list(vocabulary)[:3], here)
    with pytest.raises(OptionError, match="is not the one the coder learnt with"):
        ConceptCoder.load(tmp_path / "n", here)


def test_a_damaged_coder_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    train_concepts(corpus, tmp_path / "t", "tagger")
    file = tmp_path / "t" / "coder.json"
    about = json.loads(file.read_text())
    file.write_text(json.dumps({**about, "layout": 99}))
    with pytest.raises(AuscultError, match="saved by a newer Auscult"):
        ConceptCoder.load(tmp_path / "t")
    file.write_text("[1")
    with pytest.raises(AuscultError, match="damaged"):
        ConceptCoder.load(tmp_path / "t")
