"""Words that the index sends on to other words: *adenoma* to *benign neoplasm*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from auscult.codes.index.strings import Strings


def read_aliases(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, tuple[str, ...]]:
    """The words with what each is to be read as too, from the arrays that `building` made."""
    found: dict[str, tuple[str, ...]] = {}
    words, others = (Strings.of(arrays, f"alias_{end}") for end in ("from", "to"))
    for word, other in zip(words, others, strict=True):
        found[word] = (*found.get(word, ()), other)
    return found
