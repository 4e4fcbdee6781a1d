"""The parts of the linker: what each retriever finds, and when nothing fits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auscult.core import Annotation, AuscultError, Code, Note, OptionError, Span
from auscult.corpus.corpus import Corpus
from auscult.models.fitting import fit
from auscult.models.model import Model


@pytest.fixture(scope="module")
def linker(corpus: Corpus, place: Path) -> Model:
    return fit(corpus, "linker", {"vocabulary": str(place)})


def meant(model: Model, text: str, said: str) -> list[str]:
    at = text.index(said)
    note = Note("x", "x", text=text)
    found = model.predict([note], spans={"x": [(Span(at, at + len(said)),)]})
    return sorted(a.code.value for a in found)


@pytest.mark.parametrize(
    ("text", "said", "value"),
    [
        ("Seen for pneumonia.", "pneumonia", "C0032285"),  # marked so in training
        ("Seen for lung inflammation.", "lung inflammation", "C0032285"),  # a name
        ("Inflammations of the lungs.", "Inflammations of the lungs", "C0032285"),  # its stems
        ("Old renal abscesses.", "renal abscesses", "C0022646"),  # a name but for an ending
        ("Severe pnuemonia.", "pnuemonia", "C0032285"),  # a slip
        ("Lung inflammation (LIF). LIF again.", "LIF", "C0032285"),  # spelled out
    ],
)
def test_each_way_to_a_concept(linker: Model, text: str, said: str, value: str) -> None:
    assert meant(linker, text, said) == [value]


def test_a_coordination_means_both(linker: Model) -> None:
    said = "breast and ovarian cancer"
    assert meant(linker, f"Family history of {said}.", said) == ["C0006142", "C0029925"]


def test_what_annotators_called_cui_less_is(linker: Model) -> None:
    assert meant(linker, "Known wobbly sock syndrome.", "wobbly sock syndrome") == ["CUI-less"]
    counts = linker.about.tuning["cui_less"]
    assert counts["f1"] > 0.9
    assert linker.about.tuning["cui_less_of_new_text"]["f1"] is None


def test_readings_of_which_annotators_are_divided_are_all_given(
    corpus: Corpus, place: Path, tmp_path: Path
) -> None:
    notes, marks = list(corpus.iter_notes()), list(corpus.iter_annotations())
    for at in range(12):
        notes.append(Note(f"d{at}", f"d{at}", text="Seen for the grip.", split="train"))
        code = Code("UMLS", ("C0032285", "C0018801")[at % 2])
        marks.append(Annotation("gold", code, f"d{at}", f"d{at}", (Span(13, 17),)))
    divided = Corpus.of(notes, marks)
    model = fit(divided, "linker", {"vocabulary": str(place), "coverage": 0.999})
    tuning = model.about.tuning
    assert tuning["first_is_right"] < tuning["covering"]["covered"] == tuning["within_reach"]
    model.save(tmp_path / "model")
    given = meant(Model.load(tmp_path / "model"), "Seen for the grip.", "grip")
    assert {"C0018801", "C0032285"} <= set(given)


def test_covering_needs_the_probabilities_of_a_ranker(corpus: Corpus, place: Path) -> None:
    with pytest.raises(OptionError, match="Leave coverage out"):
        fit(corpus, "linker", {"vocabulary": str(place), "coverage": 0.9, "ablate": ["ranker"]})


ODD = ["squeaky", "floppy", "jolly", "grumpy", "rusty", "dusty", "mouldy", "soggy", "wonky"]
FITTING = ["renal abscess", "cardiac failure", "lung inflammation", "renal atrophy"]
VALUES = ["C0022646", "C0018801", "C0032285", "C0268778"]


def test_new_text_that_nothing_fits_is_cui_less(corpus: Corpus, place: Path) -> None:
    # Every odd condition is in one note only, and so new wherever it is read out of fold.
    notes, marks = list(corpus.iter_notes()), list(corpus.iter_annotations())
    for at, odd in enumerate(ODD):
        said, name = f"{odd} hat failure", FITTING[at % 4]
        text = f"Known {said}. Old {name}."
        notes.append(Note(f"o{at}", f"o{at}", text=text, split="train"))
        for what, value in ((said, "CUI-less"), (name, VALUES[at % 4])):
            span = Span(text.index(what), text.index(what) + len(what))
            code = Code("UMLS", value)
            marks.append(Annotation("gold", code, f"o{at}", f"o{at}", (span,)))
    made = fit(Corpus.of(notes, marks), "linker", {"vocabulary": str(place)})
    assert meant(made, "Known curly hat failure.", "curly hat failure") == ["CUI-less"]
    assert meant(made, "Seen for bronchial asthma.", "bronchial asthma") == ["C0004096"]
    counts = made.about.tuning["cui_less_of_new_text"]
    assert counts["tp"] + counts["fn"] == len(ODD)
    assert counts["f1"] > 0.9


def test_the_least_can_be_set(corpus: Corpus, place: Path) -> None:
    sure = fit(corpus, "linker", {"vocabulary": str(place), "threshold": 1.0})
    assert meant(sure, "Old renal abscess.", "renal abscess") == ["CUI-less"]
    assert meant(sure, "Seen for pneumonia.", "pneumonia") == ["C0032285"]  # not new


def test_parts_can_be_left_out(corpus: Corpus, place: Path) -> None:
    everything = ["lookup", "abbreviations", "stems", "trigrams", "context", "ranker"]
    bare = fit(corpus, "linker", {"vocabulary": str(place), "ablate": everything})
    assert meant(bare, "Seen for pneumonia.", "pneumonia") == ["C0032285"]
    assert meant(bare, "Severe pnuemonia.", "pnuemonia") == ["CUI-less"]


def test_a_normalizer_of_another_version_is_refused(linker: Model, tmp_path: Path) -> None:
    linker.save(tmp_path / "saved")
    file = tmp_path / "saved" / "ranker.json"
    held = json.loads(file.read_text(encoding="utf-8"))
    held["columns"].pop()
    file.write_text(json.dumps(held), encoding="utf-8")
    with pytest.raises(AuscultError, match="another version"):
        Model.load(tmp_path / "saved")


def test_types_keep_other_concepts_out(corpus: Corpus, place: Path) -> None:
    # Nobody marks a table, so its type is not one the corpus is about. Nor is it ever left alone
    # for want of trust here.
    notes = list(corpus.iter_notes())

    def found(**more: object) -> set[str]:
        settings = {"vocabulary": str(place), "threshold": 0.0, **more}
        made = fit(corpus, "dictionary", settings)
        return {a.code.value for a in made.predict(notes)}

    every = found(semantic_types=[])
    assert "C9999999" in every
    assert every - found() == {"C9999999"}
