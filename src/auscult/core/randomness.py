"""Random order that is the same on every machine and Python version."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, TypeVar

T = TypeVar("T", bound=Any)


def shuffled(items: Iterable[T], dice: random.Random) -> list[T]:
    """The items in a random order.

    `random()` is all that Python promises to give the same numbers in every version, so
    `random.shuffle` will not do. Items must be sortable, and come in an order that is fixed.

    >>> shuffled("abcd", random.Random(0))
    ['d', 'c', 'b', 'a']
    """
    return [item for _, item in sorted((dice.random(), item) for item in items)]
