"""The model for short reports: what it makes of parts, senses, symptoms and sets."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.neural.tiny import save_model

from auscult.codes import is_known
from auscult.core import Annotation, AuscultError, Code, Note, OptionError
from auscult.core.counts import Counts
from auscult.corpus import formats
from auscult.corpus.corpus import Chart, Corpus
from auscult.models.architecture import TrainingData
from auscult.models.chart_scoring import ChartConfiguration, ScoredChart
from auscult.models.chart_text import ChartText, read_chart
from auscult.models.decoding import WEIGHT
from auscult.models.examples import Example
from auscult.models.fitting import fit
from auscult.models.kept_fits import KeptFits
from auscult.models.label_space import LabelSpace
from auscult.models.model import Model
from auscult.models.radiology import scorer, stages
from auscult.models.radiology.code_sets import CodeSetPrior, fit_weights, subsets
from auscult.models.radiology.concepts import packaged
from auscult.models.radiology.radiology_text import cells_of

ICD9 = "ICD-9-CM"
REPORT = "CLINICAL HISTORY:\n{}\n\nIMPRESSION:\n{}"
CASES = [
    ("Cough.", "No pneumonia.", ["786.2"]),
    ("Cough and fever.", "Lungs are clear.", ["780.6", "786.2"]),
    ("Fever.", "Possible pneumonia.", ["780.6"]),
    ("Cough.", "Pneumonia is suspected.", ["786.2"]),
    ("Cough, rule out pneumonia.", "Right lower lobe pneumonia.", ["486"]),
    ("Cough and fever.", "Left lower lobe pneumonia.", ["486"]),
    ("Reflux, follow up.", "Normal kidneys.", ["593.70"]),
    ("VUR.", "Hydronephrosis on the left.", ["591", "593.70"]),
    ("Hematuria.", "No hydronephrosis.", ["599.7"]),
]


def clinic(size: int) -> Corpus:
    dice = random.Random(0)
    notes, annotations = [], []
    for number in range(size):
        history, impression, codes = CASES[number % len(CASES)]
        name = f"r{number}"
        age = f"{dice.randint(1, 9)} year old. "
        text = REPORT.format(age + history, impression)
        notes.append(Note(name, name, text=text))
        annotations += [Annotation("gold", Code(ICD9, code), name, name) for code in codes]
    return Corpus.of(notes, annotations)


@pytest.fixture(scope="module")
def model() -> Model:
    with pytest.warns(UserWarning, match="has evidence"):
        return fit(clinic(180), "radiology")


def codes(model: Model, history: str, impression: str) -> set[str]:
    note = Note("n", "n", text=REPORT.format(history, impression))
    return {one.code.value for one in model.predict([note])}


@pytest.mark.parametrize(
    ("history", "impression", "expected"),
    [
        ("Six year old with cough.", "No focal pneumonia.", {"786.2"}),
        ("Coughing since May.", "Suspected pneumonia.", {"786.2"}),
        ("Cough.", "Pneumonia at the right base.", {"486"}),
        ("Fever and cough.", "Left upper lobe pneumonia.", {"486"}),
        ("Vesicoureteral reflux.", "Normal kidneys.", {"593.70"}),
        ("Blood in urine.", "No hydronephrosis.", {"599.7"}),
    ],
)
def test_guidelines_are_learned_from_reports(
    model: Model, history: str, impression: str, expected: set[str]
) -> None:
    assert codes(model, history, impression) == expected


def test_there_is_always_an_answer(model: Model) -> None:
    for text in ("None given.", "Zebra.", "No cough, no fever, no pneumonia."):
        assert codes(model, text, "Normal.")


def test_it_points_at_the_words(model: Model) -> None:
    text = REPORT.format("Cough.", "Pneumonia at the right base.")
    found = list(model.predict([Note("n", "n", text=text)]))
    heaviest = max(found, key=lambda one: float(one.meta[WEIGHT]))
    assert heaviest.code.value == "486"
    assert "Pneumonia" in heaviest.spans[0].of(text)


@pytest.mark.filterwarnings("ignore:No chart to tune on has evidence")
def test_reports_that_name_no_listed_concept_are_learned_by_their_words() -> None:
    notes = [Note(f"n{at}", f"n{at}", text=("zibel", "zobel")[at % 2]) for at in range(20)]
    gold = [Annotation("gold", Code("mine", "AB"[at % 2]), f"n{at}") for at in range(20)]
    learned = fit(Corpus.of(notes, gold), "radiology")
    assert [one.code.value for one in learned.predict([Note("n", "n", text="A zobel.")])] == ["B"]


def test_a_damaged_model_is_refused(model: Model, tmp_path: Path) -> None:
    for name in ("sets.json", "forest.safetensors", "tallies.npz", "words/grams.json"):
        place = tmp_path / name.replace("/", "-")
        model.save(place)
        (place / name).write_text("{")
        with pytest.raises(AuscultError, match="missing or damaged"):
            Model.load(place)


def test_concepts_are_found_where_and_how_they_are_named() -> None:
    text = REPORT.format("History of reflux. No UTI.", "Viral or reactive airways disease.")
    cells = cells_of(read_chart("c", [Note("n", "c", text=text)]))
    assert cells == (
        ("vesicoureteral_reflux", "history", "known"),
        ("urinary_tract_infection", "history", "denied"),
        ("viral_infection", "impression", "uncertain"),
        ("asthma", "impression", "uncertain"),
    )


def test_every_listed_code_exists() -> None:
    # Divided in October 2008; reports from before have them.
    before = {"780.6", "599.7", "795.5", "596.8", "786.3", "512.8"}
    listed = {code for codes in packaged().codes.values() for code in codes}
    assert {code.value for code in listed if not is_known(code)} <= before


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9),
    st.lists(st.sets(st.integers(0, 8), min_size=1, max_size=3), min_size=1, max_size=6),
)
def test_sets_keep_to_probability(chance: list[float], seen: list[set[int]]) -> None:
    sets = CodeSetPrior.count([tuple(sorted(one)) for one in seen], (1.0, 0.5, 0.1, -0.2, -1.0))
    found = sets.marginals(np.arange(len(chance)), np.array(chance))
    assert ((found >= 0) & (found <= 1 + 1e-9)).all()
    assert found.sum() >= 1 - 1e-9  # never empty


def test_sets_that_occur_are_learned_to_be_likelier() -> None:
    gold = [(0,), (1,), (0, 2)] * 20
    sets = CodeSetPrior.count(gold)
    both = np.arange(3), np.array([0.6, 0.5, 0.5])
    cases = []
    for right in gold:
        possible = list(subsets(*both))
        cases.append((sets.table(possible, *both), possible.index(right)))
    fitted = CodeSetPrior.count(gold, fit_weights(cases))
    table = dict(zip(possible, fitted.table(possible, *both) @ fitted.weights, strict=True))
    assert table[0, 2] > table[0, 1]
    assert table[0, 2] > table[1, 2]


@pytest.mark.real
@pytest.mark.filterwarnings("ignore:No chart to tune on has evidence")
def test_real_reports_are_coded_better_than_by_words_alone(shared_data: Path) -> None:
    corpus = formats.read("cmc", shared_data / "cmc2007" / "dev.xml")
    charts = list(corpus.select(annotators=["CMC_MAJORITY"]).charts())
    order = np.random.default_rng(7).permutation(len(charts))
    held, inside = ([charts[at] for at in part] for part in (order[:200], order[200:]))
    found = {kind: _f1(kind, inside, held) for kind in ("linear", "radiology")}
    assert found["radiology"] > 0.85
    assert found["radiology"] > found["linear"] + 0.04


def _f1(kind: str, inside: list[Chart], held: list[Chart]) -> float:
    model = fit(
        Corpus.of((n for c in inside for n in c.notes), (a for c in inside for a in c.annotations)),
        kind,
    )
    said = {(a.chart_id, a.code) for a in model.predict(n for c in held for n in c.notes)}
    if kind == "report":
        assert {chart_id for chart_id, _ in said} == {chart.chart_id for chart in held}
    gold = {(a.chart_id, a.code) for c in held for a in c.annotations}
    return Counts.of(gold, said).f1 or 0.0


def test_an_encoder_is_fine_tuned_beside_the_linear_models_and_saved_with_them(
    tmp_path: Path,
) -> None:
    settings = {
        "encoder": str(save_model(tmp_path / "tiny", positions=64)),
        "encoder_settings": {"epochs": 1, "threads": 1, "batch_size": 16},
        "folds": 2,
    }
    kept = tmp_path / "kept"
    with pytest.warns(UserWarning, match="has evidence"):
        model = fit(clinic(45), "radiology", settings, directory=kept)
    # Every fine-tuning is kept until the training is done, so that an interrupted one goes on.
    assert {one.parent.name for one in kept.rglob("fits") if "transformer" in str(one)} == {
        "transformer", "transformer-fold-1", "transformer-fold-2",
    }  # fmt: skip
    model.save(tmp_path / "model")
    notes = [note for chart in clinic(9).charts() for note in chart.notes]
    found = list(model.predict(notes))
    assert list(Model.load(tmp_path / "model").predict(notes)) == found
    [weights] = tmp_path.joinpath("model").rglob("transformer/weights.safetensors")
    weights.unlink()
    with pytest.raises(AuscultError, match="missing, damaged"):
        Model.load(tmp_path / "model")
    with pytest.raises(AuscultError, match="encoder_settings"):
        fit(clinic(9), "radiology", {"encoder_settings": {"epochs": 1}})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_length": 9}, "no setting among encoder_settings 'max_length'"),
        ({"target_recall": 0.9}, "no setting among encoder_settings 'target_recall'"),
        ({"explainer": "attingrad"}, "no setting among encoder_settings 'explainer'"),
        ({"encoder": "other"}, "no setting among encoder_settings 'encoder'"),
        ({"epoch": 3}, "Did you mean epochs"),
        ({"epochs": 0}, "Setting epochs of the model transformer"),
    ],
)
def test_encoder_settings_that_would_change_nothing_are_refused_before_anything_is_trained(
    settings: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trained(*_given: Any, **_named: Any) -> Any:
        raise AssertionError("something was trained")

    monkeypatch.setattr(scorer, "fit_folded_linear", trained)
    with pytest.raises(OptionError, match=message):
        fit(clinic(9), "radiology", {"encoder": "minilm", "encoder_settings": settings})


def test_only_one_transformer_of_a_fold_is_in_memory_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[weakref.ref[Any]] = []
    left: list[int] = []

    class Scorer:
        @classmethod
        def fit(cls, *_given: Any, **_named: Any) -> Any:
            gc.collect()
            left.append(sum(one() is not None for one in made))
            fitted = cls()
            made.append(weakref.ref(fitted))
            return fitted

        def read(self, texts: Iterable[ChartText], _evidence_for: Any) -> Iterator[ScoredChart]:
            return (ScoredChart(text, np.full(2, 0.5, np.float32), {}) for text in texts)

    monkeypatch.setattr(stages, "scorer_class", lambda _name: Scorer)
    texts = [read_chart(f"c{at}", [Note(f"c{at}", f"c{at}", text="Cough.")]) for at in range(9)]
    examples = [Example(text, np.array([at % 2])) for at, text in enumerate(texts)]
    labels = LabelSpace((Code(ICD9, "486"), Code(ICD9, "786.2")), (4, 5))
    charts = stages.FoldedCharts.of(examples, 2, 3, 0)
    found = stages.fit_folded_encoder(
        TrainingData(examples, [], labels), charts, ChartConfiguration(), 0, KeptFits()
    )
    assert left == [0, 0, 0, 0]
    assert isinstance(found.whole, Scorer)
    assert (found.across == 0).all()
