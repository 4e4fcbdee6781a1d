"""Every kind of model of concepts through one suite, and what each must be able to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, AuscultError, Code, Note, OptionError, Span
from auscult.corpus.corpus import Corpus
from auscult.models import ENTITY_MODELS
from auscult.models.entities.tagger import CrfTagger
from auscult.models.entities.tagger.crf import Crf
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.models.span_annotation import places_of
from auscult.models.training import train

Key = tuple[str | None, tuple[Span, ...]]


@pytest.fixture(scope="module", params=ENTITY_MODELS)
def model(request: pytest.FixtureRequest, corpus: Corpus, place: Path) -> Model:
    return fit(corpus, request.param, {"vocabulary": str(place)})


@pytest.fixture(scope="module")
def held_out(corpus: Corpus) -> Corpus:
    return corpus.select(splits=["test"])


def read(model: Model, part: Corpus, **options: Any) -> list[Annotation]:
    places = places_of(part.iter_annotations()) if not model.can.finds_spans else None
    return list(model.predict(part.iter_notes(), spans=places, **options))


def by_span(annotations: Any) -> dict[Key, set[str]]:
    found: dict[Key, set[str]] = {}
    for annotation in annotations:
        found.setdefault((annotation.note_id, annotation.spans), set()).add(annotation.code.value)
    return found


def test_it_finds_the_spans_nested_ones_too(model: Model, held_out: Corpus) -> None:
    gold = by_span(held_out.iter_annotations())
    found = by_span(read(model, held_out))
    shared = len(gold.keys() & found.keys())
    assert shared / len(gold) > 0.9
    assert shared / len(found) > 0.9


def test_it_says_what_they_mean(model: Model, held_out: Corpus) -> None:
    if model.about.kind == "tagger":
        assert {a.code.value for a in read(model, held_out)} == {"CUI-less"}
        return
    gold = by_span(held_out.iter_annotations())
    found = by_span(read(model, held_out))
    right = [found.get(key) == codes for key, codes in gold.items()]
    assert sum(right) / len(right) > 0.9


def test_notes_without_a_category_are_read_as_of_the_usual_one(
    corpus: Corpus, held_out: Corpus
) -> None:
    notes = [*corpus.iter_notes(), Note("r", "r", category="Radiology", text="None.")]
    both = Corpus.of(notes, corpus.iter_annotations())
    config = {"evaluate": False, "categories": ("Radiology", "Nursing")}
    model = fit(both, "tagger", config)
    assert model.about.source.category == "Nursing"
    bare = [replace(note, category=None) for note in held_out.iter_notes()]
    with pytest.warns(UserWarning, match="12 notes have no category and are read as Nursing"):
        found = list(model.predict(bare))
    assert found == read(model, held_out) != []
    others = [replace(note, category="ECG") for note in held_out.iter_notes()]
    with pytest.warns(UserWarning, match=r"reads the category .* Nursing, and these .* ECG \(12\)"):
        assert list(model.predict(others)) == []
    with pytest.raises(OptionError, match="does not read the category 'ECG'"):
        model.with_category("ECG")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what reads everything has nothing to say of it
        every = fit(corpus, "tagger", {"evaluate": False})
        assert list(every.predict(bare)) == read(every, held_out)


def test_context_decides_what_a_short_form_means(corpus: Corpus, place: Path) -> None:
    for kind in ("dictionary", "linker"):
        made = fit(corpus, kind, {"vocabulary": str(place)})
        texts = {
            "C0033707": "Labs: PT 13 seconds, INR 1.0, coagulation checked again.",
            "C0949766": "Consult PT for gait training and exercises tomorrow.",
        }
        for value, text in texts.items():
            at = text.index("PT")
            note = Note("x", "x", text=text)
            found = [a.code.value for a in made.predict([note], spans={"x": [(Span(at, at + 2),)]})]
            assert found == [value], kind


def test_annotations_are_sound(model: Model, corpus: Corpus) -> None:
    notes = {note.note_id: note for note in corpus.iter_notes()}
    found = read(model, corpus, annotator="me")
    assert found
    for annotation in found:
        assert annotation.annotator == "me"
        assert annotation.score is not None
        assert 0 <= annotation.score <= 1
        text = notes[annotation.note_id or ""].text or ""
        for span in annotation.spans:
            assert span.of(text).strip() == span.of(text) != ""


def test_saved_and_loaded_it_says_the_same(model: Model, held_out: Corpus, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    assert read(loaded, held_out) == read(model, held_out)
    assert loaded.about == model.about
    suffixes = {file.suffix for file in (tmp_path / "model").rglob("*")}
    assert not {".pkl", ".pickle", ".joblib", ".pt", ".bin"} & suffixes


def test_the_same_seed_learns_the_same(
    model: Model, corpus: Corpus, held_out: Corpus, place: Path
) -> None:
    again = fit(corpus, model.about.kind, {"vocabulary": str(place)})
    assert read(again, held_out) == read(model, held_out)


_TRAIN = """
import sys
from pathlib import Path
from auscult.models.training import train
from auscult.corpus.corpus import Corpus
corpus, vocabulary, out = sys.argv[1:]
for kind, more in (("dictionary", {}), ("linker", {}), ("tagger", {"max_iterations": 3})):
    train(Corpus.open(corpus), Path(out) / kind, kind, {"vocabulary": vocabulary, **more})
"""


def test_processes_learn_the_same_whatever_the_order_of_their_sets(
    corpus: Corpus, place: Path, tmp_path: Path
) -> None:
    corpus.select(charts=[f"c{at}" for at in range(24)]).write(tmp_path / "corpus")
    learned = []
    for seed in ("1", "5"):  # with these, a set of the two cancers comes in two orders
        out = tmp_path / seed
        out.mkdir()
        words = [sys.executable, "-c", _TRAIN, tmp_path / "corpus", place, out]
        subprocess.run(list(map(str, words)), env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
        files = sorted(file for file in out.rglob("*") if file.is_file())
        learned.append({file.relative_to(out): file.read_bytes() for file in files})
    assert len(learned[0]) > 10
    assert learned[0] == learned[1]


def test_a_note_is_read_the_same_whatever_is_read_with_it(model: Model, held_out: Corpus) -> None:
    together = read(model, held_out)
    for note in list(held_out.iter_notes())[:4]:
        alone = held_out.select(charts=[note.chart_id])
        assert read(model, alone) == [a for a in together if a.note_id == note.note_id]


def test_notes_of_any_text_are_read(model: Model) -> None:
    texts = ["", " \n\n", "🫀 PT’s asthma\r\n\u200bİ ß", "x" * 5_000, "PT " * 2_000, "((((", "."]
    notes = [Note(f"t{at}", "t", text=text) for at, text in enumerate(texts)]
    notes.append(Note("none", "t"))
    places: dict[str, list[tuple[Span, ...]]] = {
        "t2": [(Span(2, 4),), (Span(0, 1), Span(7, 13))],
        "t0": [],
        "t5": [(Span(0, 4),)],
    }
    given = places if not model.can.finds_spans else None
    found = list(model.predict(notes, spans=given))
    lengths = {note.note_id: len(note.text or "") for note in notes}
    for one in found:
        assert one.spans[-1].end <= lengths[one.note_id or ""]
        assert given is None or one.spans in given[one.note_id or ""]


def test_concepts_of_the_other_splits_are_not_learned(corpus: Corpus, place: Path) -> None:
    odd = Annotation("gold", Code("UMLS", "C1234567"), "c59", "n59", (Span(0, 8),))
    more = corpus.with_annotations([odd])
    made = fit(more, "linker", {"vocabulary": str(place)})
    note = Note("x", "x", text="Admitted")
    found = list(made.predict([note], spans={"x": [(Span(0, 8),)]}))
    assert [a.code.value for a in found] != ["C1234567"]


def test_no_text_of_notes_is_shown(model: Model) -> None:
    parts = [part for part in vars(model.architecture).values() if not isinstance(part, dict)]
    if knowledge := getattr(model.architecture, "knowledge", None):
        parts.append(knowledge.contexts)
    assert len(repr(model.architecture)) < 3_000
    for part in [model, model.architecture, *parts]:
        shown = repr(part).casefold()
        assert not [word for word in ("wobbly", "exacerbation", "gait", "admit") if word in shown]


def unread(corpus: Corpus) -> Corpus:
    """The ward, and beside every note two of the same text that nobody marked."""
    notes = list(corpus.iter_notes())
    more = [
        replace(note, note_id=f"{note.note_id}-{at}", chart_id=f"{note.chart_id}-{at}")
        for note in notes
        for at in range(2)
    ]
    return Corpus.of([*notes, *more], list(corpus.iter_annotations()))


def test_what_nobody_read_is_not_learned_from(
    corpus: Corpus, held_out: Corpus, place: Path
) -> None:
    many = unread(corpus)
    made = fit(many, "dictionary", {"vocabulary": str(place)})
    alone = fit(corpus, "dictionary", {"vocabulary": str(place)})
    assert read(made, held_out) == read(alone, held_out)
    assert made.about.mentions is not None
    assert (made.about.mentions.notes, made.about.mentions.left_out) == (48, 96)
    assert made.has_seen(["c0", "c0-1"]) == ["c0"]
    # Unless they were read, and there was nothing to mark.
    told = fit(many, "dictionary", {"vocabulary": str(place), "charts": "all"})
    assert told.about.mentions is not None
    assert (told.about.mentions.notes, told.about.mentions.left_out) == (144, 0)
    sure, unsure = (sum(a.score or 0.0 for a in read(one, held_out)) for one in (made, told))
    assert unsure < sure / 2


def test_marks_of_several_spans_are_counted_and_learned_as_one_stretch() -> None:
    text = "Tumour of the left breast. Tumour of the right breast. "
    notes, marks = [], []
    for at in range(6):
        notes.append(Note(f"n{at}", f"c{at}", text=text))
        for begin in (0, text.rindex("Tumour")):
            end = text.index("breast", begin)
            spans = (Span(begin, begin + 6), Span(end, end + 6))
            marks.append(Annotation("gold", Code("UMLS", "C1"), f"c{at}", f"n{at}", spans))
    made = fit(Corpus.of(notes, marks), "tagger", {"evaluate": False})
    assert made.about.mentions is not None
    assert made.about.mentions.discontinuous == made.about.mentions.mentions == 12
    found = {one.spans[0].of(text) for one in made.predict(notes[:1])}
    assert found == {"Tumour of the left breast", "Tumour of the right breast"}


def test_a_tagger_need_not_measure_itself(
    corpus: Corpus, held_out: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[int] = []
    train_one = Crf.fit

    def counting(*given: Any, **more: Any) -> Crf:
        trained.append(1)
        return train_one(*given, **more)

    monkeypatch.setattr(Crf, "fit", counting)
    measured = fit(corpus, "tagger", {"max_iterations": 20})
    times = len(trained)
    quick = fit(corpus, "tagger", {"max_iterations": 20, "evaluate": False})
    assert isinstance(quick.architecture, CrfTagger)
    assert len(trained) - times == times / 2 == len(quick.architecture.fields)
    assert "f1" in measured.about.tuning
    assert quick.about.tuning == {}
    assert read(quick, held_out) == read(measured, held_out)


def test_it_knows_the_charts_it_learned_from(model: Model) -> None:
    assert model.has_seen(["c0", "c59", "other"]) == ["c0"]


def test_what_is_wrong_is_said(corpus: Corpus, place: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"needs a vocabulary: config=\{'vocabulary': PATH\}"):
        fit(corpus, "linker")
    with pytest.raises(OptionError, match=r"no setting of the model tagger 'num_layers'"):
        fit(corpus, "tagger", {"num_layers": 3})
    with pytest.raises(OptionError, match=r"no model 'taggr'\. Did you mean tagger"):
        fit(corpus, "taggr")
    with pytest.raises(AuscultError, match="has an annotation with spans"):
        fit(corpus.select(annotators=[]), "tagger")
    made = train(corpus, tmp_path / "n", "linker", {"vocabulary": str(place)})
    with pytest.raises(OptionError, match="finds none itself"):
        list(made.predict(corpus.iter_notes()))
    tagger = fit(corpus, "tagger", {"max_iterations": 2, "evaluate": False})
    with pytest.raises(OptionError, match="does not link given ones"):
        list(tagger.predict(corpus.iter_notes(), spans={}))
    with pytest.raises(OptionError, match="exists already"):
        train(corpus, tmp_path / "n", "linker", {"vocabulary": str(place)})
    with pytest.raises(OptionError, match="does not score the codes of charts"):
        list(Model.load(tmp_path / "n").read(corpus.iter_notes()))


def test_another_vocabulary_is_refused_and_a_moved_one_found(
    corpus: Corpus, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    Vocabulary.build(list(vocabulary), here)
    train(corpus, tmp_path / "n", "dictionary", {"vocabulary": str(here)})
    here.rename(tmp_path / "there")
    with pytest.raises(OptionError, match="Pass its new path with vocabulary"):
        Model.load(tmp_path / "n")
    assert Model.load(tmp_path / "n", vocabulary=tmp_path / "there").about.kind == "dictionary"
    Vocabulary.build(list(vocabulary)[:3], here)
    with pytest.raises(OptionError, match="is not the one the model was trained with"):
        Model.load(tmp_path / "n", vocabulary=here)


def test_a_damaged_model_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    train(corpus, tmp_path / "t", "tagger")
    file = tmp_path / "t" / "model.json"
    about = json.loads(file.read_text())
    file.write_text(json.dumps({**about, "layout": 99}))
    with pytest.raises(AuscultError, match="saved by a newer Auscult"):
        Model.load(tmp_path / "t")
    file.write_text("[1")
    with pytest.raises(AuscultError, match="damaged"):
        Model.load(tmp_path / "t")
