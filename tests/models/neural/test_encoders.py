"""Position i of what an encoder makes is word i, and a chart is read alike in any company."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from pydantic import ValidationError
from torch import Tensor

from auscult.models.neural.batching import ChartBatch, EncodedChart, collate
from auscult.models.neural.caml import CamlConfiguration, CamlEncoder
from auscult.models.neural.configuration import WordConfiguration
from auscult.models.neural.effectivecan import EffectiveCanConfiguration, EffectiveCanEncoder
from auscult.models.neural.evidence import WEIGHTS, CodePairs, LinearTagger
from auscult.models.neural.network import Encoder, LabelAttentionNetwork

WORDS, LABELS = 60, 7
SMALL: dict[str, Any] = {"embedding_dim": 6, "out_channels": 8}


def encoders() -> list[tuple[WordConfiguration, Encoder]]:
    torch.manual_seed(0)
    caml = CamlConfiguration(**SMALL)
    made: list[tuple[WordConfiguration, Encoder]] = [(caml, CamlEncoder(caml))]
    for norm in ("layer", "batch", "none"):
        config = EffectiveCanConfiguration(**SMALL, key_dim=5, norm=norm, reduction=2)
        made.append((config, trained(config)))
    return made


def trained(config: EffectiveCanConfiguration) -> EffectiveCanEncoder:
    """An encoder whose every weight does something, as after training."""
    encoder = EffectiveCanEncoder(config).eval()
    for value in encoder.parameters():
        torch.nn.init.normal_(value, std=0.2)
    return encoder


def batch(*lengths: int) -> ChartBatch:
    dice = torch.Generator().manual_seed(1)
    nothing = torch.zeros(0, dtype=torch.int64).numpy()
    items = [
        EncodedChart(torch.randint(2, WORDS, (length,), generator=dice).numpy(), nothing)
        for length in lengths
    ]
    return collate(items, LABELS)


def test_a_caml_key_is_made_of_the_words_around_it_evenly() -> None:
    config = CamlConfiguration(**SMALL, kernel_size=5)
    encoder = CamlEncoder(config).eval()
    assert changed_by(encoder, place=20, length=40) == [18, 19, 20, 21, 22]


def test_an_effectivecan_key_is_made_of_the_words_around_it_evenly() -> None:
    encoder = trained(EffectiveCanConfiguration(**SMALL, num_blocks=2, kernel_size=3))
    shut_gates(encoder)  # squeezing looks at the whole chart
    assert changed_by(encoder, place=20, length=40) == list(range(16, 25))


def test_with_convolutions_that_pass_words_on_only_the_key_of_a_word_changes_with_it() -> None:
    encoder = trained(EffectiveCanConfiguration(**SMALL))
    shut_gates(encoder)
    for part in encoder.modules():
        if isinstance(part, torch.nn.Conv1d):
            with torch.no_grad():
                middle = part.weight[:, :, part.kernel_size[0] // 2].clone()
                part.weight.zero_()
                part.weight[:, :, part.kernel_size[0] // 2] = middle
    assert changed_by(encoder, place=11, length=30) == [11]


@pytest.mark.parametrize("evidence", list(WEIGHTS))
@pytest.mark.parametrize("which", range(4))
def test_a_chart_is_read_alike_alone_and_among_longer_ones(evidence: str, which: int) -> None:
    base, encoder = encoders()[which]
    config = type(base)(**{**base.model_dump(), "evidence": evidence})
    network = LabelAttentionNetwork(WORDS, LABELS, encoder, config).eval()
    together = batch(9, 30, 17)
    rows, codes = torch.tensor([0, 0, 2]), torch.tensor([1, 6, 3])
    with torch.no_grad():
        encoded = network.encode(network.embed(together.words), together.mask)
        scores = network.logits(encoded)
        weights = network.weights(encoded, rows, codes)
        for row, length in ((0, 9), (1, 30), (2, 17)):
            words = together.words[row : row + 1, :length]
            alone = network.encode(network.embed(words), torch.ones(1, length, dtype=torch.bool))
            torch.testing.assert_close(network.logits(alone)[0], scores[row])
            mine = rows == row
            none = torch.zeros(int(mine.sum()), dtype=torch.int64)
            torch.testing.assert_close(
                network.weights(alone, none, codes[mine]), weights[mine, :length]
            )
            assert not weights[mine, length:].any()


@pytest.mark.parametrize("which", range(4))
def test_padding_has_no_part_in_the_loss(which: int) -> None:
    config, encoder = encoders()[which]
    network = LabelAttentionNetwork(WORDS, LABELS, encoder, config).train()
    network.dropout.p = 0.0
    for part in network.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    short = batch(12, 9)
    wide = ChartBatch(
        torch.nn.functional.pad(short.words, (0, 20)),
        torch.nn.functional.pad(short.mask, (0, 20)),
        short.gold, short.rows, short.codes,
        torch.nn.functional.pad(short.evidence, (0, 20)),
    )  # fmt: skip
    torch.testing.assert_close(network(wide), network(short))


@pytest.mark.parametrize("evidence", ["linear-tagger", "cnn-tagger"])
def test_a_tagger_has_no_parameters_of_a_codes_own(evidence: str) -> None:
    config = CamlConfiguration(**SMALL, evidence=evidence)

    def size(labels: int) -> int:
        network = LabelAttentionNetwork(WORDS, labels, CamlEncoder(config), config)
        return sum(each.numel() for each in network.pointer.parameters())

    assert 0 < size(5) == size(500)


def test_the_linear_tagger_begins_with_what_the_attention_says() -> None:
    pairs = CodePairs(
        log_attention=torch.tensor([[1.0, 1e-9]]).log(),
        hidden=torch.zeros(1, 2, 4),
        rows=torch.tensor([0]),
        codes=torch.zeros(1, 3),
        mask=torch.ones(1, 2, dtype=torch.bool),
    )
    looked_at, not_looked_at = LinearTagger(4).weights(pairs)[0].tolist()
    assert looked_at == pytest.approx(0.5)
    assert not_looked_at == pytest.approx(0.01, abs=1e-3)


@pytest.mark.parametrize("kind", [CamlConfiguration, EffectiveCanConfiguration])
def test_an_even_kernel_is_refused(kind: type[CamlConfiguration]) -> None:
    with pytest.raises(ValidationError, match="odd"):
        kind(kernel_size=10)


def changed_by(encoder: Encoder, *, place: int, length: int) -> list[int]:
    """The places whose key changes with the word at a place."""
    embedded = torch.randn(1, length, SMALL["embedding_dim"])
    mask = torch.ones(1, length, dtype=torch.bool)
    other = embedded.clone()
    other[0, place] += 1
    with torch.no_grad():
        difference: Tensor = encoder(embedded, mask).keys - encoder(other, mask).keys
    return difference.abs().amax(2)[0].gt(1e-7).nonzero()[:, 0].tolist()


def shut_gates(encoder: EffectiveCanEncoder) -> None:
    for name, value in encoder.named_parameters():
        if "gate" in name:
            torch.nn.init.zeros_(value)
