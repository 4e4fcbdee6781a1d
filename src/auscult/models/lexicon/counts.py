"""How common each code and its family is among the training charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.gold_evidence import FOLDS, GoldEvidence

_FAMILY = 3
"""Characters that codes of one family share, such as the category of an ICD-10 code."""


class CodeCounts:
    """Number of charts with each code, in all and, during training, by fold.

    `parts[fold, code]` are those of a fold, from 1; fold 0 has none.
    """

    def __init__(
        self, labels: LabelSpace, charts: Sequence[int], parts: npt.NDArray[np.int64] | None = None
    ) -> None:
        self.charts = np.array(charts, np.int64)
        self._parts = np.zeros((FOLDS + 1, len(labels)), np.int64) if parts is None else parts
        names = [f"{code.system} {code.value[:_FAMILY]}" for code in labels]
        _, self._family = np.unique(np.array(names, object), return_inverse=True)
        families = int(self._family.max(initial=-1)) + 1
        self._of_family = np.bincount(self._family, self.charts, families)
        self._parts_of_family = np.array(
            [np.bincount(self._family, part, families) for part in self._parts]
        )
        systems = sorted({code.system for code in labels})
        self._kind = np.array(
            [(len(code.value), systems.index(code.system)) for code in labels], np.float64
        ).reshape(-1, 2)

    @classmethod
    def of(cls, labels: LabelSpace, golds: Sequence[GoldEvidence]) -> CodeCounts:
        """Count the codes that were given to each chart."""
        parts = np.zeros((FOLDS + 1, len(labels)), np.int64)
        for gold in golds:
            parts[gold.fold + 1, list(gold.codes)] += 1
        return cls(labels, parts.sum(axis=0).tolist(), parts)

    def is_known(self, codes: npt.NDArray[Any], folds: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether a chart outside a fold has the code."""
        found: npt.NDArray[np.bool_] = self.charts[codes] > self._parts[folds, codes]
        return found

    def describe(self, codes: npt.NDArray[Any], folds: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Logs of the charts with the code and with its family; how long it is, of which system."""
        family = self._family[codes]
        charts = self.charts[codes] - self._parts[folds, codes]
        of_family = self._of_family[family] - self._parts_of_family[folds, family]
        return np.column_stack([np.log1p(charts), np.log1p(of_family), self._kind[codes]])
