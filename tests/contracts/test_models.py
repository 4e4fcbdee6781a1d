"""Every kind of model through one suite, on a small ward whose phrases decide the codes."""

from __future__ import annotations

import json
import random
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from auscult.core import Annotation, AuscultError, Code, Note, OptionError, Span
from auscult.core.tokens import tokens
from auscult.corpus.corpus import Corpus
from auscult.models import CODING_MODELS
from auscult.models.fitting import fit
from auscult.models.model import Model

SYSTEM = "ICD-10-CM"
PHRASES = {
    "I50.9": ["congestive heart failure", "CHF", "cardiac failure"],
    "J18.9": ["pneumonia", "lobar pneumonia"],
    "N17.9": ["acute kidney injury", "acute renal failure", "AKI"],
    "E11.9": ["type 2 diabetes", "diabetes mellitus"],
}
FILLER = ["patient", "was", "seen", "on", "rounds", "and", "is", "stable", "with", "good", "intake"]
_NETWORK = {
    "epochs": 30, "batch_size": 4, "patience": 30, "learning_rate": 1e-2, "embedding_dim": 24,
    "out_channels": 24, "threads": 1, "min_df": 1,
}  # fmt: skip
SMALL: dict[str, dict[str, Any]] = {
    "bagging": {"model": "linear", "folds": 3},
    "bigru": {
        **{key: value for key, value in _NETWORK.items() if key != "out_channels"},
        "hidden_size": 24,
        "pooling": "max",
        "single_label": False,
        "epochs": 15,
        "max_length": 500,
    },
    "caml": _NETWORK,
    "effectivecan": {**_NETWORK, "key_dim": 24, "num_blocks": 2, "evidence": "supervised"},
}
# The transformer needs a model on disk; its own tests make one.
KINDS = [kind for kind in CODING_MODELS if kind != "transformer"]


def ward(size: int, *, evidence: bool = True, seed: int = 0, missed: float = 0) -> Corpus:
    """Charts of up to three phrases; `missed` is the part of them that nobody has coded."""
    dice = random.Random(seed)
    notes, annotations = [], []
    for number in range(size):
        chart = f"c{number}"
        split = "train" if number < 0.6 * size else "dev" if number < 0.8 * size else "test"
        text = ""
        spans = []
        for value in dice.sample(sorted(PHRASES), dice.randint(1, 3)):
            text += " ".join(dice.choices(FILLER, k=dice.randint(3, 12))).capitalize() + ". "
            phrase = dice.choice(PHRASES[value])
            text += "Treated for "
            if not missed or dice.random() >= missed:
                spans.append((value, Span(len(text), len(text) + len(phrase))))
            text += f"{phrase}. "
        notes.append(
            Note(
                f"n{number}",
                chart,
                f"p{number}",
                "Discharge summary",
                text=text,
                split=split,
                read_by=("gold",),
            )
        )
        annotations += [
            Annotation("gold", Code(SYSTEM, value), chart, f"n{number}", (span,))
            if evidence
            else Annotation("gold", Code(SYSTEM, value), chart)
            for value, span in spans
        ]
    return Corpus.of(notes, annotations)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return ward(120)


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest, corpus: Corpus) -> Model:
    return fit(corpus, request.param, SMALL.get(request.param))


def quotes(found: list[Annotation], corpus: Corpus) -> list[str]:
    texts = {note.note_id: note.text or "" for note in corpus.iter_notes()}
    return [span.of(texts[a.note_id]) for a in found if a.note_id for span in a.spans]


def coded(model: Model, notes: Any, **options: Any) -> list[Annotation]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(model.predict(notes, **options))


def test_it_finds_the_codes_and_the_phrases(model: Model, corpus: Corpus) -> None:
    test = corpus.select(splits=["test"])
    gold = {(a.chart_id, a.code): a.spans[0] for a in test.iter_annotations()}
    found = coded(model, test.iter_notes())
    pairs = {(a.chart_id, a.code) for a in found}
    assert len(pairs & gold.keys()) / len(pairs | gold.keys()) > 0.8
    touched = {
        (a.chart_id, a.code)
        for a in found
        if (a.chart_id, a.code) in gold
        and any(span.overlaps(gold[a.chart_id, a.code]) for span in a.spans)
    }
    # Attention that nobody taught may look beside the phrase.
    assert len(touched) / len(gold) > (0.4 if model.about.kind == "caml" else 0.7)


def test_annotations_are_sound(model: Model, corpus: Corpus) -> None:
    notes = {note.note_id: note for note in corpus.iter_notes()}
    for annotation in coded(model, notes.values(), annotator="me", ranked=2):
        assert annotation.annotator == "me"
        # The code book finds codes outside the label space too, each with its evidence.
        is_open = model.about.kind == "codebook" and bool(annotation.spans)
        assert annotation.code in model.labels.index or is_open
        assert annotation.score is not None
        assert 0 <= annotation.score <= 1
        for span in annotation.spans:
            assert annotation.note_id is not None
            text = notes[annotation.note_id].text or ""
            assert span.of(text).strip() == span.of(text) != ""


def test_spans_of_a_code_do_not_overlap(model: Model, corpus: Corpus) -> None:
    notes = list(corpus.select(splits=["test"]).iter_notes())
    plain = coded(model, notes, ranked=2)
    by_code: dict[tuple[str | None, Code], list[Span]] = {}
    for one in plain:
        by_code.setdefault((one.note_id, one.code), []).extend(one.spans)
    for spans in by_code.values():
        assert not any(one.overlaps(other) for one, other in pairwise(sorted(spans)))
    every = coded(model, notes, ranked=2, alternatives=True)
    assert set(plain) <= set(every)
    assert (len(every) > len(plain)) == (model.about.kind in ("lexicon", "ensemble"))


def test_saved_and_loaded_it_says_the_same(model: Model, corpus: Corpus, tmp_path: Path) -> None:
    notes = list(corpus.select(splits=["test"]).iter_notes())
    model.save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    assert coded(loaded, notes) == coded(model, notes)
    assert loaded.about == model.about
    names = [file.suffix for file in (tmp_path / "model").rglob("*") if file.is_file()]
    assert not {".pkl", ".pickle", ".joblib", ".pt", ".bin"} & set(names)


def test_the_same_seed_learns_the_same(model: Model, corpus: Corpus) -> None:
    notes = list(corpus.select(splits=["test"]).iter_notes())
    again = fit(corpus, model.about.kind, SMALL.get(model.about.kind))
    assert again.about.decoding == model.about.decoding
    assert coded(again, notes) == coded(model, notes)


def test_a_chart_is_coded_the_same_whatever_is_coded_with_it(model: Model, corpus: Corpus) -> None:
    notes = list(corpus.select(splits=["test"]).iter_notes())
    together = coded(model, notes)
    for note in notes[:5]:
        alone = coded(model, [note])
        mine = [a for a in together if a.chart_id == note.chart_id]
        assert [(a.code, a.spans) for a in alone] == [(a.code, a.spans) for a in mine]
        for one, other in zip(alone, mine, strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-5)


def test_versions_of_a_chart_read_together_score_as_each_alone(
    model: Model, corpus: Corpus
) -> None:
    [note] = corpus.select(charts=["c0"]).iter_notes()
    code, *_ = model.labels.codes
    versions = [
        [replace(note, text=text)] for text in (note.text, "Treated for pneumonia. CHF.", "Stable.")
    ]
    together = [score for [score] in model.scores((notes, [code]) for notes in versions)]
    alone = [score for notes in versions for [score] in model.scores([(notes, [code])])]
    assert together == pytest.approx(alone, abs=1e-5)


def test_scores_asked_for_are_those_it_codes_by(model: Model, corpus: Corpus) -> None:
    notes = list(corpus.select(splits=["test"]).iter_notes())[:4]
    ranked = {(a.chart_id, a.code): a.score for a in coded(model, notes, ranked=len(model.labels))}
    codes = [*model.labels.codes, Code(SYSTEM, "Z99.9")]
    empty = Note("e", "e", text="")
    asked = [([empty], codes), *(([note], codes) for note in notes), ([empty], codes[:1])]
    found = list(model.scores(asked))
    assert [len(scores) for scores in found] == [len(codes)] * (len(notes) + 1) + [1]
    assert found[0] == [0.0] * len(codes)
    for note, scores in zip(notes, found[1:-1], strict=True):
        assert scores[-1] == 0.0
        for code, score in zip(model.labels.codes, scores, strict=False):
            assert score == pytest.approx(ranked[note.chart_id, code], abs=1e-5)


def test_an_empty_note_has_no_code_and_a_long_one_is_read(model: Model) -> None:
    empty = [Note("e", "e", text=" \n"), Note("none", "none", text=None)]
    with pytest.warns(UserWarning, match="2 charts had no text to read"):
        assert list(model.predict(empty)) == []
    long = Note("l", "l", text="word " * 200_000 + "pneumonia")
    if model.chart_config.max_length is None:
        assert "J18.9" in {a.code.value for a in coded(model, [long], never_empty=True, ranked=4)}
    else:
        with pytest.warns(UserWarning, match="words at the end were ignored"):
            list(model.predict([long]))


def test_notes_without_a_category_are_read_as_of_the_usual_one(
    model: Model, corpus: Corpus
) -> None:
    notes = list(corpus.select(splits=["test"]).iter_notes())
    bare = [replace(note, category=None) for note in notes]
    assert coded(model, bare) == coded(model, notes)
    with pytest.warns(UserWarning, match="24 notes have no category and are read as Discharge"):
        list(model.predict(bare))


def test_codes_of_the_other_splits_are_not_learned(model: Model, corpus: Corpus) -> None:
    strange = Code(SYSTEM, "Z99.9")
    more = corpus.with_annotations([Annotation("gold", strange, "c119", "n119", (Span(0, 4),))])
    assert strange not in fit(more, "lexicon").labels.index
    assert strange not in model.labels.index


@pytest.mark.parametrize("kind", KINDS)
def test_a_corpus_without_evidence_is_learned_with_a_warning(kind: str) -> None:
    bare = ward(60, evidence=False)
    with pytest.warns(UserWarning, match="has evidence"):
        model = fit(bare, kind, SMALL.get(kind))
    found = coded(model, bare.select(splits=["test"]).iter_notes())
    gold = {(a.chart_id, a.code) for a in bare.select(splits=["test"]).iter_annotations()}
    pairs = {(a.chart_id, a.code) for a in found}
    assert len(pairs & gold) / len(pairs | gold) > 0.4
    words = sum(len(list(tokens(quote))) for quote in quotes(found, bare))
    assert 0 < words / len(pairs) < 15  # a chart has some fifty


@pytest.mark.parametrize("kind", ["lexicon", "caml"])
def test_without_a_dev_split_training_charts_serve(kind: str, corpus: Corpus) -> None:
    model = fit(corpus, kind, SMALL.get(kind), dev_split="none")
    assert model.about.source.dev == "none"
    where = model.about.tuning["on"]
    assert where == "training charts" + (" held out" if kind == "caml" else ", out of fold")
    assert model.about.tuning["codes"]["counts"]["tp"] > 0


def test_it_knows_the_charts_it_learned_from(model: Model) -> None:
    assert model.has_seen(["c0", "c70", "c119", "other"]) == ["c0", "c70"]


def test_what_is_wrong_is_said(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"no model 'lexikon'\. Did you mean lexicon"):
        fit(corpus, "lexikon")
    with pytest.raises(OptionError, match=r"no split 'tran'\. Did you mean train"):
        fit(corpus, "lexicon", train_split="tran")
    with pytest.raises(OptionError, match=r"no setting of the model caml 'epoch'\. Did you mean"):
        fit(corpus, "caml", {"epoch": 3})
    with pytest.raises(OptionError, match="cannot be both the training split and the dev split"):
        fit(corpus, "lexicon", dev_split="train")
    with pytest.raises(OptionError, match="no annotator 'golt'"):
        fit(corpus, "lexicon", {"annotators": ["golt"]})
    with pytest.raises(AuscultError, match="at least 1000 training charts"):
        fit(corpus, "lexicon", {"min_count": 1000})
    textless = Corpus.of(
        [Note("n", "c", split="train"), Note("m", "d", split="train")],
        [Annotation("gold", Code(SYSTEM, "I10"), "c", "n")],
    )
    with pytest.raises(AuscultError, match="has text"):
        fit(textless, "lexicon")
    with pytest.raises(OptionError, match="is not a model: there is no such directory"):
        Model.load(tmp_path / "nothing")


def test_a_model_of_a_newer_version_or_a_damaged_one_is_refused(
    corpus: Corpus, tmp_path: Path
) -> None:
    place = tmp_path / "model"
    fit(corpus, "lexicon").save(place)
    file = place / "model.json"
    about = json.loads(file.read_text())
    file.write_text(json.dumps({**about, "layout": 99, "unheard_of": 1}))
    with pytest.raises(AuscultError, match="saved by a newer Auscult"):
        Model.load(place)
    file.write_text(json.dumps({**about, "layout": 2, "made_by": "auscult 0.1.0"}))
    with pytest.raises(AuscultError, match=r"made by auscult 0\.1\.0 .* Train again"):
        Model.load(place)
    (tmp_path / "older").mkdir()
    (tmp_path / "older" / "coder.json").write_text("{}")
    with pytest.raises(AuscultError, match=r"made by auscult 0\.1 .* Train again"):
        Model.load(tmp_path / "older")
    file.write_text(json.dumps({**about, "seed": "none"}))
    with pytest.raises(AuscultError, match="does not describe a model: seed"):
        Model.load(place)
    file.write_text("{")
    with pytest.raises(AuscultError, match="damaged"):
        Model.load(place)


@pytest.mark.parametrize("left", [0.0, 0.5])
def test_a_file_cut_short_is_an_error_that_says_so(
    model: Model, tmp_path: Path, left: float
) -> None:
    place = tmp_path / "model"
    model.save(place)
    arrays = [file.name for file in place.iterdir() if file.suffix in (".npz", ".safetensors")]
    names = ["trained_on.txt", *arrays]
    for name in names:
        whole = (place / name).read_bytes()
        (place / name).write_bytes(whole[: int(left * len(whole))])
        with pytest.raises(AuscultError, match=r"damaged|does not hold|cannot be read"):
            Model.load(place)
        (place / name).write_bytes(whole)
    assert Model.load(place).about == model.about
