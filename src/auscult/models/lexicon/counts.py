"""How common each code and its family is among the training charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log1p

from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.gold_evidence import GoldEvidence

_FAMILY = 3
"""Characters that codes of one family share, such as the category of an ICD-10 code."""


class CodeCounts:
    """Number of charts with each code, in all and, during training, by fold."""

    def __init__(self, labels: LabelSpace, charts: Sequence[int]) -> None:
        self.charts = charts
        self._family = [f"{code.system} {code.value[:_FAMILY]}" for code in labels]
        self._of_family: Counter[str] = Counter()
        for family, number in zip(self._family, charts, strict=True):
            self._of_family[family] += number
        systems = sorted({code.system for code in labels})
        self._kind = [
            (float(len(code.value)), float(systems.index(code.system))) for code in labels
        ]
        self._parts: Counter[tuple[int, int]] = Counter()
        self._parts_of_family: Counter[tuple[int, str]] = Counter()

    @classmethod
    def of(cls, labels: LabelSpace, golds: Sequence[GoldEvidence]) -> CodeCounts:
        """Count the codes that were given to each chart."""
        having = Counter(code for gold in golds for code in gold.codes)
        found = cls(labels, [having[code] for code in range(len(labels))])
        for gold in golds:
            for code in gold.codes:
                found._parts[gold.fold, code] += 1
                found._parts_of_family[gold.fold, found._family[code]] += 1
        return found

    def is_known(self, code: int, without: int | None) -> bool:
        """Whether a chart outside a fold has the code."""
        taken = 0 if without is None else self._parts[without, code]
        return self.charts[code] > taken

    def describe(self, code: int, without: int | None) -> tuple[float, float, float, float]:
        """Logs of the charts with the code and with its family; how long it is, of which system."""
        charts, family = self.charts[code], self._of_family[self._family[code]]
        if without is not None:
            charts -= self._parts[without, code]
            family -= self._parts_of_family[without, self._family[code]]
        return (log1p(charts), log1p(family), *self._kind[code])
