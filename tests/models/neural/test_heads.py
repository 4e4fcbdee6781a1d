"""The heads give the logits of their papers' equations, in blocks of codes as well as at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor, nn

from auscult.models.neural.heads import label_attention_head
from auscult.models.neural.heads.cross_attention import CrossAttention
from auscult.models.neural.heads.head import Head
from auscult.models.neural.heads.label_aware_attention import LabelAwareAttention
from auscult.models.neural.heads.sequence import SequenceClassifier

Array = npt.NDArray[np.float64]

# Three tokens of three dimensions, two codes.
TOKENS = np.array([[1.0, 0.5, -0.5], [-0.5, 2.0, 0.0], [0.25, -1.0, 1.5]])
QUERIES = np.array([[0.3, -0.2, 0.5], [0.1, 0.4, -0.3]])
PROJECTION = np.array([[1.0, 0.5, 0.0], [-1.0, 0.25, 0.5], [0.0, 0.75, -0.25]])
VALUES = np.array([[0.5, -0.5, 0.25], [1.0, 0.75, -0.5], [-0.25, 0.0, 1.0]])
VALUE_BIAS = np.array([0.1, -0.2, 0.3])
SCALE, SHIFT = np.array([1.5, 0.5, 1.0]), np.array([0.2, -0.1, 0.0])
OUTPUT = np.array([[0.7, -0.4, 0.2], [-0.3, 0.6, 0.1]])
OUTPUT_BIAS = np.array([0.05, -0.25])


def softmax(given: Array) -> Array:
    powers = np.exp(given)
    return np.asarray(powers / powers.sum())


def plm_ca(code: int, weight: Array, bias: float) -> float:
    """Edin et al. 2024, with the sums written out; LayerNorm with PyTorch's 10⁻⁵."""
    attention = softmax(np.array([QUERIES[code] @ (PROJECTION @ token) for token in TOKENS]))
    read = sum(
        share * (VALUES @ token + VALUE_BIAS)
        for share, token in zip(attention, TOKENS, strict=True)
    )
    normal = (read - read.mean()) / np.sqrt(((read - read.mean()) ** 2).mean() + 1e-5)
    return float(weight @ (normal * SCALE + SHIFT) + bias)


def plm_icd(code: int) -> float:
    """Huang et al. 2022, equations 4 to 6."""
    scores = np.array([QUERIES[code] @ np.tanh(PROJECTION @ token) for token in TOKENS])
    read = sum(share * token for share, token in zip(softmax(scores), TOKENS, strict=True))
    return float(OUTPUT[code] @ read + OUTPUT_BIAS[code])


def loaded(head: Head, **weights: Array) -> Any:
    given = {name.replace("__", "."): torch.tensor(value) for name, value in weights.items()}
    head.double().load_state_dict(given)
    return head


def cross_attention(*, is_shared: bool) -> CrossAttention:
    kept = slice(0, 1 if is_shared else None)
    made: CrossAttention = loaded(
        CrossAttention(3, 2, is_shared=is_shared),
        queries=QUERIES, to_keys__weight=PROJECTION, to_values__weight=VALUES,
        to_values__bias=VALUE_BIAS, norm__weight=SCALE, norm__bias=SHIFT,
        output__weight=OUTPUT[kept], output__bias=OUTPUT_BIAS[kept],
    )  # fmt: skip
    return made


def label_aware() -> LabelAwareAttention:
    made: LabelAwareAttention = loaded(
        LabelAwareAttention(3, 2),
        queries=QUERIES, projection__weight=PROJECTION,
        output__weight=OUTPUT, output__bias=OUTPUT_BIAS,
    )  # fmt: skip
    return made


def logits(head: Head, codes: Any = slice(None)) -> Tensor:
    """Those of the three tokens, with two places of padding behind them."""
    hidden = torch.zeros(1, 5, 3, dtype=torch.float64)
    hidden[0, :3] = torch.tensor(TOKENS)
    mask = torch.arange(5)[None] < 3
    return head.logits(head.encoded(hidden, mask, None, None), codes)[0]


def test_plm_ca_has_the_logits_of_its_equations() -> None:
    found = logits(cross_attention(is_shared=True)).tolist()
    assert found == pytest.approx([plm_ca(code, OUTPUT[0], OUTPUT_BIAS[0]) for code in (0, 1)])
    assert found == pytest.approx(
        [-1.224687, 0.464501], abs=1e-6
    )  # worked out once, and written down


def test_cross_attention_has_an_output_layer_for_each_code() -> None:
    found = logits(cross_attention(is_shared=False)).tolist()
    expected = [plm_ca(code, OUTPUT[code], OUTPUT_BIAS[code]) for code in (0, 1)]
    assert found == pytest.approx(expected)


def test_plm_icd_has_the_logits_of_its_equations() -> None:
    found = logits(label_aware()).tolist()
    assert found == pytest.approx([plm_icd(0), plm_icd(1)])
    assert found == pytest.approx([-0.074111, -0.024896], abs=1e-6)


@pytest.mark.parametrize(
    "make", [lambda: cross_attention(is_shared=True), lambda: cross_attention(is_shared=False),
             label_aware]
)  # fmt: skip
def test_many_codes_in_blocks_are_what_they_are_at_once(
    make: Callable[[], Head], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, blocks = make(), make()
    at_once = logits(whole)
    weighed = torch.tensor([1.0, 3.0])
    mine = torch.autograd.grad((at_once * weighed).sum(), list(whole.parameters()))
    monkeypatch.setattr(label_attention_head, "_MOST", 1)
    apart = logits(blocks)
    theirs = torch.autograd.grad((apart * weighed).sum(), list(blocks.parameters()))
    torch.testing.assert_close(apart, at_once)
    torch.testing.assert_close(logits(blocks, torch.tensor([1, 0, 1])), at_once[[1, 0, 1]])
    with torch.no_grad():
        torch.testing.assert_close(logits(blocks), at_once)
    torch.testing.assert_close(mine, theirs)


def test_the_chunks_of_a_long_chart_count_alike_in_its_class() -> None:
    torch.manual_seed(0)
    head = SequenceClassifier(4, 3, None, 0.0)
    firsts, charts = torch.randn(4, 4), torch.tensor([1, 0, 1, 1])
    encoded = head.encoded(torch.zeros(2, 0, 4), torch.ones(2, 0, dtype=torch.bool), firsts, charts)
    each = head.output(firsts)
    expected = torch.stack([each[1], (each[0] + each[2] + each[3]) / 3])
    torch.testing.assert_close(head.logits(encoded, slice(None)), expected)


@pytest.mark.parametrize("is_balanced", [False, True])
def test_codes_that_exclude_each_other_have_a_softmax_and_its_cross_entropy(
    is_balanced: bool,
) -> None:
    torch.manual_seed(0)
    head = SequenceClassifier(4, 3, None, 0.0)
    head.single_label.fill_(True)
    encoded = head.encoded(
        torch.zeros(5, 0, 4), torch.ones(5, 0, dtype=torch.bool), torch.randn(5, 4), torch.arange(5)
    )
    scores = head.scores(encoded)
    found = head.logits(encoded, slice(None)).sigmoid()
    torch.testing.assert_close(found, scores.softmax(1))
    gold = torch.tensor([0, 2, 1, 0, 2])
    share = torch.tensor([0.5, 0.2, 0.3])
    expected = nn.CrossEntropyLoss(weight=1 - share if is_balanced else None)(scores, gold)
    given = share if is_balanced else None
    loss = head.loss(encoded, nn.functional.one_hot(gold, 3).float(), 0.0, given)
    torch.testing.assert_close(loss, expected)
    assert head.loss(encoded, nn.functional.one_hot(gold, 3).float(), 2.0, given) < loss


def test_one_code_is_the_softmax_of_having_it_and_not() -> None:
    torch.manual_seed(0)
    head = SequenceClassifier(4, 1, None, 0.0)
    encoded = head.encoded(
        torch.zeros(4, 0, 4), torch.ones(4, 0, dtype=torch.bool), torch.randn(4, 4), torch.arange(4)
    )
    two = torch.cat([torch.zeros(4, 1), head.scores(encoded)], 1)
    gold, share = torch.tensor([1, 0, 0, 1]), torch.tensor([0.1])
    expected = nn.CrossEntropyLoss(weight=torch.tensor([0.1, 0.9]))(two, gold)
    torch.testing.assert_close(head.loss(encoded, gold[:, None].float(), 0.0, share), expected)
