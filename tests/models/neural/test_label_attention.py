"""Label-wise attention gives what the plain formula gives, without its memory."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from auscult.models.neural.label_attention import attend, log_attention

B, L, T, D = 3, 50, 40, 8


@pytest.fixture
def parts() -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    queries, keys = torch.randn(L, D, requires_grad=True), torch.randn(B, T, D, requires_grad=True)
    return queries, keys, torch.arange(T) < torch.tensor([[T], [7], [1]])


def plain(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    logits = (queries @ keys.transpose(1, 2)).masked_fill(~mask[:, None], -torch.inf)
    return logits.softmax(2)  # (B, L, T)


def test_it_is_the_plain_formula_and_so_are_its_gradients(
    parts: tuple[Tensor, Tensor, Tensor],
) -> None:
    queries, keys, mask = parts
    weigh = torch.randn(B, L, D)
    expected = plain(queries, keys, mask) @ keys
    wanted = torch.autograd.grad((expected * weigh).sum(), (queries, keys))
    read = attend(queries, keys, mask)
    found = torch.autograd.grad((read * weigh).sum(), (queries, keys))
    torch.testing.assert_close(read, expected)
    for ours, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_keys_as_a_convolution_leaves_them_do_not_undo_it(
    parts: tuple[Tensor, Tensor, Tensor],
) -> None:
    """Turned round, their last dimension is not in one piece, which torch's blocks need."""
    queries, keys, mask = parts
    turned = keys.detach().transpose(1, 2).contiguous().transpose(1, 2)
    assert turned.stride(2) != 1
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):  # an error where it is not the one used
        read = attend(queries, turned, mask, turned)
    torch.testing.assert_close(read, attend(queries, keys, mask))


@pytest.mark.parametrize("size", [8, 50, 100])
def test_kernels_are_given_multiples_of_eight_dimensions(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    attention = functional.scaled_dot_product_attention

    def look(*parts: Any, **more: Any) -> Tensor:
        given.extend(each.shape[-1] for each in parts)
        return attention(*parts, **more)

    monkeypatch.setattr(functional, "scaled_dot_product_attention", look)
    torch.manual_seed(0)
    queries, keys, values = torch.randn(L, size), torch.randn(B, T, size), torch.randn(B, T, 5)
    mask = torch.ones(B, T, dtype=torch.bool)
    weights = plain(queries, keys, mask)
    torch.testing.assert_close(attend(queries, keys, mask), weights @ keys)
    torch.testing.assert_close(attend(queries, keys, mask, values), weights @ values)
    assert len(given) == 6
    assert not any(each % 8 for each in given)


def test_the_weights_of_all_codes_are_never_kept(parts: tuple[Tensor, Tensor, Tensor]) -> None:
    queries, keys, mask = parts
    kept: list[int] = []

    def keep(tensor: Tensor) -> Tensor:
        kept.append(tensor.untyped_storage().nbytes() // 4)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        attend(queries, keys, mask)
    assert max(kept) < B * L * T


def test_explicit_weights_are_those_of_the_pair_and_none_at_padding(
    parts: tuple[Tensor, Tensor, Tensor],
) -> None:
    queries, keys, mask = parts
    rows, codes = torch.tensor([0, 0, 2]), torch.tensor([4, 9, 4])
    weights = log_attention(queries, keys, mask, rows, codes).exp()
    torch.testing.assert_close(weights, plain(queries, keys, mask)[rows, codes])
    assert weights[2, 0] == 1
    assert not weights[2, 1:].any()


def test_what_stands_in_the_padding_does_not_matter(parts: tuple[Tensor, Tensor, Tensor]) -> None:
    queries, keys, mask = parts
    spoilt = torch.where(mask[..., None], keys, 1e4)
    torch.testing.assert_close(attend(queries, spoilt, mask), attend(queries, keys, mask))


def test_no_pair_is_no_weight(parts: tuple[Tensor, Tensor, Tensor]) -> None:
    nothing = torch.zeros(0, dtype=torch.int64)
    assert log_attention(*parts, nothing, nothing).shape == (0, T)
