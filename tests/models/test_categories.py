"""Which notes a model reads, and as what it reads those that have no category."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from tests.contracts.test_models import ward

from auscult.core import Code, Note, OptionError
from auscult.corpus.corpus import Corpus
from auscult.models.card import ModelSource
from auscult.models.categories import Categories
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.models.perturbation import Perturbation
from auscult.models.predicting import Prediction
from auscult.models.skipped import SkippedText

SUMMARY = "Discharge summary"
PNEUMONIA = Code("ICD-10-CM", "J18.9")


def source(category: str | None, uncategorized: float = 0.0) -> ModelSource:
    return ModelSource(
        name="c", digest=None, train="train", dev="dev", charts=1, category=category,
        uncategorized=uncategorized,
    )  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return ward(60)


@pytest.fixture(scope="module", params=["linear", "lexicon", "ensemble"])
def model(request: pytest.FixtureRequest, corpus: Corpus) -> Model:
    return fit(corpus, request.param, {"categories": (SUMMARY,)})


def bare(corpus: Corpus, category: str | None = None) -> list[Note]:
    return [replace(note, category=category) for note in corpus.iter_notes()]


@pytest.mark.parametrize(
    ("known", "wanted", "usual"),
    [
        (SUMMARY, None, SUMMARY),
        (SUMMARY, ("ECG", SUMMARY), SUMMARY),
        ("Nursing", ("ECG", "Radiology"), "ECG"),
        (None, ("ECG",), "ECG"),  # saved before the usual category was kept
        (None, None, None),
        (SUMMARY, (), None),
    ],
)
def test_the_usual_category_is_one_that_is_read(
    known: str | None, wanted: tuple[str, ...] | None, usual: str | None
) -> None:
    assert Categories.of(source(known), wanted) == Categories(wanted, usual)


def test_a_model_that_knows_notes_without_a_category_reads_them_as_they_are() -> None:
    assert Categories.of(source(SUMMARY, 0.09), None).usual == SUMMARY
    assert Categories.of(source(SUMMARY, 0.1), None).usual is None
    assert Categories.of(source(SUMMARY, 0.1), None, "ECG").usual == "ECG"
    notes = list(ward(40).iter_notes())
    mixed = [replace(note, category=None) if at % 4 == 0 else note for at, note in enumerate(notes)]
    model = fit(Corpus.of(mixed, ward(40).iter_annotations()), "linear")
    assert model.about.source.category == SUMMARY
    assert model.about.source.uncategorized == 0.25
    assert model.text([replace(notes[0], category=None)]).notes[0].category is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(model.predict([replace(notes[0], category=None)]))


def test_blank_is_no_category() -> None:
    reads = Categories(("ECG",), "ECG")
    notes = [Note(str(at), "c", category=name) for at, name in enumerate(("", " ", None, "X"))]
    assert [note.note_id for note in reads.chosen(notes)] == ["0", "1", "2"]
    assert [note.note_id for note in Categories(("ECG",)).chosen(notes)] == []


def test_notes_without_a_category_are_coded_as_with_the_usual_one(
    model: Model, corpus: Corpus
) -> None:
    test = corpus.select(splits=["test"])
    with pytest.warns(UserWarning, match="12 notes have no category and are read as Discharge"):
        found = list(model.predict(bare(test)))
    assert found == list(model.predict(test.iter_notes())) != []
    with pytest.warns(UserWarning, match="No note could be read, .* ECG \\(12\\)"):
        assert list(model.predict(bare(test, "ECG"))) == []
    counted = SkippedText()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(model.predict(bare(test), skipped=counted)) == found
    assert (counted.uncategorized, counted.charts, counted.empty) == (12, 12, 0)


def test_scores_and_edits_read_them_the_same(model: Model, corpus: Corpus) -> None:
    [note] = corpus.select(charts=["c59"]).iter_notes()
    swap = Perturbation.swap([(note.note_id, 0, 5)], "pneumonia")
    named, plain = [note], [replace(note, category=None)]
    codes = list(model.labels)
    [one, other] = model.scores([(named, codes), (plain, codes)])
    assert one == other
    assert max(one) > 0.5
    assert model.scores_of_edits(named, [swap], PNEUMONIA) == model.scores_of_edits(
        plain, [swap], PNEUMONIA
    )
    [read] = model.read(named)
    with pytest.warns(UserWarning, match="1 note has no category and is read as Discharge summary"):
        [again] = model.read(plain)
    assert read.scores.tolist() == again.scores.tolist()


def test_another_category_can_be_said_if_it_is_read(corpus: Corpus, tmp_path: Path) -> None:
    every = fit(corpus, "linear")
    [note] = bare(corpus.select(charts=["c59"]))
    other = every.with_category("ECG")
    [as_usual] = every.scores([([note], [PNEUMONIA])])
    [as_said] = other.scores([([note], [PNEUMONIA])])
    [as_named] = every.scores([([replace(note, category="ECG")], [PNEUMONIA])])
    assert as_said == as_named != as_usual
    assert list(other.with_category(None).scores([([note], [PNEUMONIA])])) == [as_usual]
    other.save(tmp_path / "model")
    assert Model.load(tmp_path / "model").reads.usual == SUMMARY
    some = fit(corpus, "linear", {"categories": (SUMMARY,)})
    with pytest.raises(OptionError, match="does not read the category 'ECG'"):
        some.with_category("ECG")


def test_a_chart_of_several_notes_is_read_in_the_order_of_what_they_are_read_as() -> None:
    notes = [Note("1", "c", category="Nursing", text="first"), Note("2", "c", text="second")]
    model = fit(ward(20), "linear")
    assert model.text(notes).words == ("second", "first")
    assert model.with_category("ECG").text(notes).words == ("first", "second")


def test_finished_partitions_of_another_category_or_with_alternatives_are_not_taken() -> None:
    asked = [
        how.asked
        for how in (
            Prediction(Path("model"), "digest"),
            Prediction(Path("model"), "digest", category=SUMMARY),
        )
    ]
    asked.append(Prediction(Path("model"), "digest", alternatives=True).asked)
    assert len({repr(one) for one in asked}) == len(asked)


def test_what_is_read_has_no_words_or_is_of_another_category() -> None:
    reads = Categories((SUMMARY,), SUMMARY)
    empty = Note("1", "a", text=" "), Note("2", "a", category="ECG", text="fever")
    unread = SkippedText()
    assert [note.note_id for note in unread.passing(empty, reads)] == ["1"]
    with pytest.warns(UserWarning, match="1 note has no category") as said:
        unread.warn(reads)
    assert "1 chart had no text to read in notes of the category" in str(said[1].message)
    # A chart is read if any note of it is, wherever it stands.
    for notes in ((Note("3", "a", text="fever"), *empty), (*empty, Note("3", "a", text="fever"))):
        unread = SkippedText()
        list(unread.passing(notes, reads))
        assert (unread.charts, unread.empty, unread.uncategorized) == (1, 0, 2)


def test_many_categories_are_not_all_named() -> None:
    unread = SkippedText(empty=7, charts=7)
    unread.categories.update({f"kind {at}": 9 - at for at in range(7)})
    with pytest.warns(UserWarning, match=r"kind 0 \(9\), .* kind 4 \(5\) and 2 more\. Predict"):
        unread.warn(Categories((SUMMARY,), SUMMARY))
