"""Several processes that train one network together: each takes a share of every batch.

Gradients are added up over the replicas, each weighted by its share of the batch, so that all of
them take the same step. Where the loss is a mean over the charts, that is the step of one process
with the whole batch, but for rounding and for dropout, whose dice are each replica's own. The same
seed and the same number of replicas give the same weights, bit for bit on CPUs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed, nn

T = TypeVar("T")


def rank_and_size() -> tuple[int, int]:
    """The rank of this process and the number of replicas; (0, 1) when it is alone."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


def share_of(places: Sequence[T]) -> list[T]:
    """This replica's share of a batch; all of it when it is alone."""
    rank, count = rank_and_size()
    return list(places[rank::count])


def add_up(network: nn.Module, loss: Tensor) -> Tensor:
    """Add up the gradients of all replicas, and their losses, which is returned.

    A parameter that no replica has a gradient for has none afterwards either.
    """
    if rank_and_size()[1] == 1:
        return loss
    parameters = [each for each in network.parameters() if each.requires_grad]
    with_gradient = torch.tensor([float(each.grad is not None) for each in parameters])
    parts = [
        (torch.zeros_like(each) if each.grad is None else each.grad).flatten()
        for each in parameters
    ]
    device = parts[0].device
    flat = torch.cat([*parts, with_gradient.to(parts[0]), loss[None].to(parts[0])])
    distributed.all_reduce(flat)
    sizes = [each.numel() for each in parameters]
    *gradients, anybody, total = torch.split(flat, [*sizes, len(parameters), 1])
    for each, gradient, has in zip(parameters, gradients, anybody.tolist(), strict=True):
        each.grad = gradient.view_as(each).to(device) if has else None
    return total[0]


def agreed(decide: Callable[[], float | None]) -> float | None:
    """The value that the first replica computes, sent to all."""
    rank, count = rank_and_size()
    if count == 1:
        return decide()
    decided: list[Any] = [decide() if rank == 0 else None]
    distributed.broadcast_object_list(decided)
    found: float | None = decided[0]
    return found


def same_buffers(network: nn.Module) -> None:
    """Copy the buffers of the first replica, such as running means, to all."""
    if rank_and_size()[1] > 1:
        buffer: Tensor
        for buffer in network.buffers():
            distributed.broadcast(buffer, 0)
