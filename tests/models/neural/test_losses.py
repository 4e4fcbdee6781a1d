"""Losses against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from auscult.models.neural.batching import EncodedChart, collate
from auscult.models.neural.caml import CamlConfiguration, CamlEncoder
from auscult.models.neural.losses import attention_loss, code_loss, tagging_loss
from auscult.models.neural.network import LabelAttentionNetwork


def uniform(words: int, padding: int = 0) -> Tensor:
    """The logarithm of attention spread evenly over some words, with padding after them."""
    logits = torch.zeros(1, words + padding)
    logits[:, words:] = -torch.inf
    return logits.requires_grad_().log_softmax(1)


def marks(*places: int, length: int) -> Tensor:
    marked = torch.zeros(1, length, dtype=torch.bool)
    marked[0, list(places)] = True
    return marked


def test_evidence_on_two_of_four_words_is_log_two_from_even_attention() -> None:
    loss = attention_loss(uniform(4), marks(1, 2, length=4))
    assert loss.item() == pytest.approx(math.log(2))


def test_attention_that_is_the_evidence_costs_nothing() -> None:
    attention = torch.tensor([[0.0, 0.5, 0.5, 0.0]]).log()
    assert attention_loss(attention, marks(1, 2, length=4)).item() == pytest.approx(0)


def test_padding_changes_neither_the_loss_nor_makes_it_undefined() -> None:
    logits = torch.zeros(1, 7)
    logits[:, 4:] = -torch.inf
    logits.requires_grad_()
    loss = attention_loss(logits.log_softmax(1), marks(1, 2, length=7))
    (gradient,) = torch.autograd.grad(loss, logits)
    assert loss.item() == pytest.approx(math.log(2))
    assert torch.isfinite(gradient).all()
    assert not gradient[:, 4:].any()


def test_the_loss_is_the_mean_over_pairs_whatever_their_length() -> None:
    attention = torch.cat([uniform(4, padding=12), uniform(16)])
    evidence = torch.cat([marks(1, length=16), marks(1, length=16)])
    loss = attention_loss(attention, evidence)
    assert loss.item() == pytest.approx((math.log(4) + math.log(16)) / 2)


def test_no_pair_is_no_loss() -> None:
    nothing = torch.zeros(0, 5)
    assert attention_loss(nothing, nothing.bool()).item() == 0
    assert tagging_loss(nothing, nothing.bool(), nothing.bool()).item() == 0


def test_focal_loss_of_a_coin_toss_is_a_quarter_of_the_entropy() -> None:
    logits, gold = torch.zeros(2, 3), torch.tensor([[1.0, 0, 0], [0, 1, 1]])
    assert code_loss(logits, gold).item() == pytest.approx(math.log(2))
    assert code_loss(logits, gold, gamma=2).item() == pytest.approx(math.log(2) / 4)


def test_focal_loss_follows_its_formula_and_stays_finite_where_all_is_certain() -> None:
    logits = torch.tensor([[-60.0, -1.0, 2.0, 60.0]], requires_grad=True)
    gold = torch.tensor([[0.0, 1.0, 1.0, 1.0]])
    p = torch.tensor([1.0, 1 / (1 + math.e), 1 / (1 + math.exp(-2)), 1.0])
    loss = code_loss(logits, gold, gamma=1.5)
    assert loss.item() == pytest.approx(((1 - p) ** 1.5 * -p.log()).mean().item(), rel=1e-5)
    (gradient,) = torch.autograd.grad(loss, logits)
    assert torch.isfinite(gradient).all()


def test_tags_of_padding_do_not_count() -> None:
    logits = torch.tensor([[0.0, 0.0, 50.0], [0.0, 0.0, 0.0]])
    mask = torch.tensor([[True, True, False], [True, True, True]])
    evidence = torch.tensor([[True, False, False], [False, False, True]])
    # Two words and three, for one word of evidence each.
    assert tagging_loss(logits, evidence, mask).item() == pytest.approx(2.5 * math.log(2))


def test_a_longer_chart_does_not_make_evidence_that_was_missed_count_for_less() -> None:
    def missed(length: int) -> float:
        logits, evidence = torch.full((1, length), -20.0), torch.zeros(1, length).bool()
        evidence[0, :2] = True
        return tagging_loss(logits, evidence, torch.ones_like(evidence)).item()

    assert missed(10) == pytest.approx(20)
    assert missed(1_000) == pytest.approx(20)


def test_the_published_loss_of_taggers_is_the_mean_over_all_words() -> None:
    """Against PyTorch's own mean over the words of all charts laid end to end."""
    logits = torch.tensor([[0.5, -1.0, 2.0, 9.0], [1.0, -3.0, 0.0, 4.0]])
    mask = torch.tensor([[True, True, True, False], [True, True, True, True]])
    evidence = torch.tensor([[False, True, False, False], [True, True, False, False]])
    mean = torch.nn.BCEWithLogitsLoss()(logits[mask], evidence[mask].float())
    torch.testing.assert_close(tagging_loss(logits, evidence, mask, over="mean"), mean)
    # By default the words of a pair count by its evidence words: 1 of 3, and 2 of 4.
    each = torch.nn.BCEWithLogitsLoss(reduction="none")(logits, evidence.float())
    ours = (each[0, :3].sum() / 1 + each[1].sum() / 2) / 2
    torch.testing.assert_close(tagging_loss(logits, evidence, mask), ours)


def test_the_weight_of_a_taggers_loss_is_the_papers_where_the_loss_is() -> None:
    """MDACE, appendix D: λ₁ = 2.5 and λ₂ = 0.5."""
    for evidence, loss, weight in (
        ("supervised", "evidence", 2.5),
        ("supervised", "mean", 2.5),
        ("linear-tagger", "mean", 0.5),
        ("cnn-tagger", "mean", 0.5),
        ("cnn-tagger", "evidence", 0.05),
        ("attention", "mean", 0.0),
    ):
        given: dict[str, object] = {"evidence": evidence, "tagger_loss": loss}
        assert CamlConfiguration.model_validate(given).weight == weight
        given["evidence_weight"] = 0.3
        assert CamlConfiguration.model_validate(given).weight == 0.3


@pytest.mark.parametrize("evidence", ["linear-tagger", "cnn-tagger"])
def test_a_network_is_trained_with_the_loss_that_was_asked_for(evidence: str) -> None:
    chart = EncodedChart(np.array([3, 4, 5, 6, 7]), np.array([1]), ((1, np.array([2, 3])),))
    batch = collate([chart], 2)
    losses = {}
    for over in ("evidence", "mean"):
        torch.manual_seed(0)
        config = CamlConfiguration.model_validate(
            {"evidence": evidence, "tagger_loss": over, "evidence_weight": 1.0, "dropout": 0.0}
        )
        network = LabelAttentionNetwork(9, 2, CamlEncoder(config), config)
        bare = config.model_copy(update={"evidence_weight": 0.0})
        losses[over] = network(batch)
        network.config = bare
        losses[over] = (losses[over] - network(batch)).item()
    # Five words, two of them evidence.
    assert losses["evidence"] == pytest.approx(losses["mean"] * 5 / 2, rel=1e-4)
