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


@pytest.mark.parametrize("kernel", [2, 4, 10])
def test_with_even_kernels_evidence_does_not_shift(kernel: int) -> None:
    """CAML sees one word more to the left; two of EffectiveCAN's in a row make up for each other.

    The convolutions take means, so that every word within reach changes a key.
    """
    half = kernel // 2
    caml = CamlEncoder(CamlConfiguration(**SMALL, kernel_size=kernel)).eval()
    # The word at 30 is seen from half a kernel to its right, and one less to its left.
    assert changed_by(caml, place=30, length=61) == list(range(31 - half, 31 + half))
    for blocks in (1, 3):
        config = EffectiveCanConfiguration(
            **SMALL, num_blocks=blocks, kernel_size=kernel, norm="none"
        )
        encoder = trained(config).double()
        shut_gates(encoder)
        for part in encoder.modules():
            if isinstance(part, torch.nn.Conv1d):
                torch.nn.init.constant_(part.weight, 1 / part.weight[0].numel())
                assert part.bias is not None
                torch.nn.init.constant_(part.bias, 5.0)
        reach = blocks * (kernel - 1)
        found = changed_by(encoder, place=30, length=61)
        assert found == list(range(max(0, 30 - reach), min(61, 31 + reach)))


def test_camls_even_kernel_is_the_published_one() -> None:
    """CAML's own code pads by half a kernel on both sides, which makes one output too many."""
    config = CamlConfiguration(**SMALL, kernel_size=10)
    encoder = CamlEncoder(config).eval()
    published = torch.nn.Conv1d(config.embedding_dim, config.out_channels, 10, padding=5)
    published.load_state_dict(encoder.convolution.state_dict())
    embedded = torch.randn(2, 23, config.embedding_dim)
    theirs = torch.tanh(published(embedded.transpose(1, 2)).transpose(1, 2))
    assert theirs.shape[1] == 24
    ours = encoder(embedded, torch.ones(2, 23, dtype=torch.bool)).keys
    torch.testing.assert_close(ours, theirs[:, :23])


def test_blocks_can_have_sizes_of_their_own() -> None:
    config = EffectiveCanConfiguration(
        embedding_dim=6, num_blocks=3, block_channels=(8, 4, 12), block_kernel_sizes=(3, 4, 5)
    )
    encoder = EffectiveCanEncoder(config)
    sizes = [
        (part.in_channels, part.out_channels, part.kernel_size[0])
        for part in encoder.modules()
        if isinstance(part, torch.nn.Conv1d)
    ]
    assert sizes == [(6, 8, 3), (8, 8, 3), (8, 4, 4), (4, 4, 4), (4, 12, 5), (12, 12, 5)]
    assert encoder.hidden == 12
    assert encoder.to_keys.in_features == 24
    shape = encoder(torch.randn(2, 9, 6), torch.ones(2, 9, dtype=torch.bool)).keys.shape
    assert shape == (2, 9, config.key_dim)
    with pytest.raises(
        ValidationError, match="block_kernel_sizes has 2 values, but there are 4 blocks"
    ):
        EffectiveCanConfiguration(block_kernel_sizes=(3, 5))


def test_the_network_of_mdace_has_17_million_parameters() -> None:
    """By hand, of 51,917 words, 8,929 codes, four blocks of 300 channels and kernels of 9."""
    config = EffectiveCanConfiguration(
        out_channels=300, kernel_size=9, key_dim=300, descriptions=False, match=False
    )
    with torch.device("meta"):
        network = LabelAttentionNetwork(51_919, 8_929, EffectiveCanEncoder(config), config)
    learned = sum(each.numel() for each in network.parameters() if each.requires_grad)
    words, codes = 51_919 * 100, 8_929 * (300 + 300 + 1) + 100 * 300
    convolutions = (100 + 7 * 300) * 300 * 9 + 8 * 300
    norms, shortcut, keys = 8 * 600, 100 * 300, 1_200 * 300 + 300
    gates = 4 * (300 * 18 + 18 + 18 * 300 + 300)
    assert learned == words + codes + convolutions + norms + shortcut + keys + gates
    assert learned / 1e6 == pytest.approx(17, abs=0.1)


def changed_by(encoder: Encoder, *, place: int, length: int) -> list[int]:
    """The places whose key changes with the word at a place."""
    dtype = next(encoder.parameters()).dtype
    embedded = torch.randn(1, length, SMALL["embedding_dim"], dtype=dtype)
    mask = torch.ones(1, length, dtype=torch.bool)
    other = embedded.clone()
    other[0, place] += 1
    with torch.no_grad():
        difference: Tensor = encoder(embedded, mask).keys - encoder(other, mask).keys
    return (
        difference.abs()
        .amax(2)[0]
        .gt(1e-7 if dtype == torch.float32 else 1e-12)
        .nonzero()[:, 0]
        .tolist()
    )


def shut_gates(encoder: EffectiveCanEncoder) -> None:
    for name, value in encoder.named_parameters():
        if "gate" in name:
            torch.nn.init.zeros_(value)
