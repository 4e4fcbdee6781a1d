"""Losses against values worked out by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from auscult.models.neural.losses import attention_loss, code_loss, tagging_loss


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
