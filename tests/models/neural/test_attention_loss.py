"""The loss in one pass is the loss of the plain formula, and so is its gradient."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from auscult.models.neural import attention_loss
from auscult.models.neural.attention_loss import attended_loss, is_in_one_pass
from auscult.models.neural.batching import ChartBatch
from auscult.models.neural.caml import CamlConfiguration, CamlEncoder
from auscult.models.neural.losses import code_loss
from auscult.models.neural.network import LabelAttentionNetwork

B, L, T, D = 3, 41, 30, 12
LENGTHS = torch.tensor([30, 17, 1])


Parts = tuple[Tensor, Tensor, Tensor, Tensor]


def parts(dtype: torch.dtype) -> Parts:
    """Queries, weights, biases and keys."""
    dice = torch.Generator().manual_seed(3)

    def dealt(*size: int) -> Tensor:
        return torch.randn(size, generator=dice, dtype=dtype).requires_grad_()

    return dealt(L, D), dealt(L, D), dealt(L), dealt(B, T, D)


def charts() -> tuple[Tensor, Tensor]:
    """Which places have words, and the codes."""
    dice = torch.Generator().manual_seed(4)
    gold = (torch.rand(B, L, generator=dice) < 0.2).float()
    return torch.arange(T) < LENGTHS[:, None], gold


def plain(given: Parts, gamma: float, share: Tensor | None) -> Tensor:
    """Word by word and code by code, with all weights."""
    queries, weight, bias, keys = given
    _, gold = charts()
    loss, whole = torch.zeros((), dtype=torch.float64), 0.0
    for row, length in enumerate(LENGTHS.tolist()):
        seen = keys[row, :length].double()
        for code in range(L):
            attention = torch.exp(seen @ queries[code].double())
            read = (attention[:, None] * seen).sum(0) / attention.sum()
            score = torch.sigmoid(read @ weight[code].double() + bias[code].double())
            has = bool(gold[row, code])
            right = score if has else 1 - score
            rare = 1.0 if share is None else float(share[code])
            counts = 1.0 if share is None else (1 - rare if has else rare)
            loss = loss - counts * (1 - right) ** gamma * right.log()
            whole += counts
    return loss / whole


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("block", [1 << 19, 400])
def test_loss_and_gradient_are_those_of_the_formula(
    block: int, dtype: torch.dtype, gamma: float, balanced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention_loss, "_BLOCK", block)  # one block, or many
    share = torch.linspace(0.1, 0.6, L) if balanced else None
    given, (mask, gold) = parts(dtype), charts()
    loss = attended_loss(*given, mask, gold, gamma, share)
    found = torch.autograd.grad(3 * loss, given)
    expected = plain(given, gamma, share)
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    for one, other in zip(found, torch.autograd.grad(3 * expected, given), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-6)


def test_padding_has_no_gradient_and_a_chart_without_words_only_moves_the_bias() -> None:
    given, (mask, gold) = parts(torch.float32), charts()
    *_, keys = torch.autograd.grad(attended_loss(*given, mask, gold), given)
    assert not keys[~mask].any()
    empty = torch.zeros_like(mask)
    loss = attended_loss(*given, empty, gold)
    queries, weight, bias, keys = torch.autograd.grad(loss, given)
    assert loss.item() == pytest.approx(
        functional.binary_cross_entropy_with_logits(given[2].expand(B, L), gold).item(), rel=1e-5
    )
    assert not queries.any()
    assert not weight.any()
    assert not keys.any()
    assert bias.all()


def test_a_network_trains_on_the_loss_of_the_scores_that_it_gives() -> None:
    torch.manual_seed(0)
    config = CamlConfiguration(embedding_dim=6, out_channels=D, dropout=0.0)
    network = LabelAttentionNetwork(50, L, CamlEncoder(config), config)
    with torch.no_grad():
        network.match.fill_(0.3)
        network.codes.places.copy_(torch.randint(2, 50, network.codes.places.shape))
        network.codes.weights.fill_(0.1)
    mask, gold = charts()
    words = torch.randint(2, 50, (B, T)) * mask
    none = torch.zeros(0, dtype=torch.int64)
    batch = ChartBatch(words, mask, gold, none, none, torch.zeros(0, T, dtype=torch.bool))
    encoded = network.encode(network.embed(words), mask)
    assert is_in_one_pass(encoded.keys)
    parameters = [each for each in network.parameters() if each.requires_grad]
    one = torch.autograd.grad(network(batch), parameters)
    scored = code_loss(network.logits(encoded), gold)
    for mine, theirs in zip(one, torch.autograd.grad(scored, parameters), strict=True):
        assert mine.any()
        torch.testing.assert_close(mine, theirs, rtol=1e-3, atol=1e-6)


def test_half_precision_and_reading_go_the_other_way() -> None:
    keys = torch.zeros(1, 2, 8)
    assert is_in_one_pass(keys)
    with torch.no_grad():
        assert not is_in_one_pass(keys)
    with torch.autocast("cpu", torch.bfloat16):
        assert not is_in_one_pass(keys)
    assert not is_in_one_pass(keys.bfloat16())


def test_a_focal_loss_has_a_gradient_where_nothing_is_left_to_learn() -> None:
    logits = torch.tensor([[-200.0, 3.0]], requires_grad=True)
    loss = code_loss(logits, torch.tensor([[0.0, 1.0]]), gamma=0.5)
    (slope,) = torch.autograd.grad(loss, logits)
    assert math.isfinite(loss.item())
    assert slope.isfinite().all()
