"""Whether synthetic texts keep the epidemiology: odds ratios and prevalence by group.

A complaint is a set of words: a text with any of them has it. The records are the same on both
sides, so any difference comes from the generator.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.core import Metric
from auscult.core.names import require_known

Text = Sequence[str]
_Z = 1.959963984540054
_AGES = (0, 5, 18, 45, 65, math.inf)
_ODDS_RATIO = "odds of {} among {} / odds among all others; 95% interval by Woolf's logit method"
_SHORTEST = 4
_EMPTY = {
    "after", "also", "biba", "came", "days", "evaluation", "feeling", "found", "from", "home",
    "hour", "hours", "increased", "last", "left", "month", "morning", "night", "onset", "over",
    "patient", "presents", "right", "since", "started", "states", "status", "sudden", "sustained",
    "that", "this", "today", "tonight", "unspecified", "week", "weeks", "were", "when", "while",
    "with", "worse", "worsening", "year", "years", "yesterday",
}  # fmt: skip
"""Words about when, where or how, which are not complaints."""


@dataclass(frozen=True, slots=True)
class Association:
    """The association of a complaint with a group of records, on both sides."""

    complaint: str
    variable: str
    level: str
    authentic: Metric
    synthetic: Metric
    prevalence_authentic: Metric
    prevalence_synthetic: Metric

    @property
    def is_kept(self) -> bool | None:
        """Whether the synthetic odds ratio lies in the authentic interval; None if there is none.

        A ratio that only the authentic texts have is lost: a generator that never writes about a
        complaint has not kept its association.
        """
        if self.authentic.interval is None:
            return None
        low, high = self.authentic.interval
        return self.synthetic.value is not None and low <= self.synthetic.value <= high

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "complaint": self.complaint,
            "variable": self.variable,
            "level": self.level,
            "authentic": self.authentic.to_dict(),
            "synthetic": self.synthetic.to_dict(),
            "prevalence_authentic": self.prevalence_authentic.to_dict(),
            "prevalence_synthetic": self.prevalence_synthetic.to_dict(),
            "is_kept": self.is_kept,
        }


def associations(
    records: pl.DataFrame,
    authentic: Sequence[Text],
    synthetic: Sequence[Text],
    complaints: Mapping[str, Collection[str]],
    variables: Sequence[str],
) -> list[Association]:
    """The association of every complaint with every level of every variable."""
    there = [name for name in records.columns if name not in ("record_id", "chart_id")]
    for name in variables:
        require_known(name, there, "variable of the records")
    found = []
    for complaint, words in complaints.items():
        has = [with_words(texts, words) for texts in (authentic, synthetic)]
        for variable in variables:
            for level, group in groups(records[variable]).items():
                ratios = [odds_ratio(one, group, complaint, level) for one in has]
                shares = [prevalence(one, group, complaint, level) for one in has]
                found.append(Association(complaint, variable, level, *ratios, *shares))
    return found


def groups(column: pl.Series) -> dict[str, NDArray[np.bool_]]:
    """The records of each level; ages and other numbers in bands."""
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64).fill_null(math.nan).to_numpy()
        bands = pairwise(_AGES)
        made = {
            f"{low}+" if high == math.inf else f"{low}–{high - 1}": (numbers >= low)
            & (numbers < high)
            for low, high in bands
        }
    else:
        text = column.cast(pl.String).fill_null("")
        levels = text.filter(text != "").unique().sort().to_list()
        made = {level: (text == level).to_numpy() for level in levels}
    return {level: group for level, group in made.items() if 0 < group.sum() < len(group)}


def odds_ratio(
    has: NDArray[np.bool_], group: NDArray[np.bool_], complaint: str = "it", level: str = "them"
) -> Metric:
    """The odds ratio of a complaint in a group against all others.

    >>> has = np.array([1, 1, 0, 1, 0, 0], bool)
    >>> odds_ratio(has, np.array([1, 1, 1, 0, 0, 0], bool)).value
    4.0
    """
    cells = [int((a & b).sum()) for a in (has, ~has) for b in (group, ~group)]
    definition = _ODDS_RATIO.format(complaint, level)
    if not all(cells):
        return Metric("odds_ratio", definition, n=len(has),
                       undefined="a cell of the 2×2 table is empty")  # fmt: skip
    a, b, c, d = cells
    ratio = a * d / (b * c)
    spread = _Z * math.sqrt(sum(1 / cell for cell in cells))
    return Metric(
        "odds_ratio", definition, ratio, n=len(has),
        interval=(ratio * math.exp(-spread), ratio * math.exp(spread)),
    )  # fmt: skip


def prevalence(
    has: NDArray[np.bool_], group: NDArray[np.bool_], complaint: str = "it", level: str = "them"
) -> Metric:
    """The share of a group that has a complaint, with Wilson's interval."""
    size, count = int(group.sum()), int((has & group).sum())
    share, wide = count / size, _Z * _Z / size
    middle = (share + wide / 2) / (1 + wide)
    half = _Z * math.sqrt(share * (1 - share) / size + wide / (4 * size)) / (1 + wide)
    definition = f"share of {level} with {complaint}; 95% interval by Wilson's score method"
    return Metric("prevalence", definition, share, interval=(middle - half, middle + half), n=size)


def common_complaints(texts: Sequence[Text], most: int = 8) -> dict[str, tuple[str, ...]]:
    """The words in most texts, without short, common and uninformative ones."""
    counts = Counter(word for text in texts for word in set(text))
    telling = [
        word
        for word, count in counts.most_common()
        if len(word) >= _SHORTEST
        and word.isalpha()
        and word not in _EMPTY
        and count <= len(texts) / 3
    ]
    return {word: (word,) for word in telling[:most]}


def with_words(texts: Sequence[Text], words: Collection[str]) -> NDArray[np.bool_]:
    """Which texts have any of the words."""
    synonyms = set(words)
    return np.array([not synonyms.isdisjoint(text) for text in texts], bool)
