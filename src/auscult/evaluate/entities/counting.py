"""Every metric of the benchmark collected in one tally, to be computed in one pass."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from auscult.evaluate.entities import brittleness, end_to_end, hierarchy, linking, tally
from auscult.evaluate.entities.end_to_end import EndToEndCounts
from auscult.evaluate.entities.gather import EntityInputs
from auscult.evaluate.entities.linking import Answers
from auscult.evaluate.entities.marked_spans import Bools, Ints
from auscult.evaluate.entities.settings import EntitySettings
from auscult.evaluate.entities.subsets import Subset
from auscult.evaluate.entities.tally import NoteTally
from auscult.statistics.bootstrap import Floats

RULES = {**linking.RULES, **end_to_end.RULES, **hierarchy.RULES}
"""Every way for a gold span to be right, from 0 to 1."""
AVERAGE, POOLED = "average", "pooled"
EMPTY = "no span is in it"


@dataclass(frozen=True, slots=True, repr=False)
class SystemRun:
    """The counts of one system's annotations."""

    given: Answers
    found: EndToEndCounts
    spans: dict[str, Floats]
    """The score of each gold span by each rule."""
    placed: Ints


class EntityCounter:
    """Adds every metric to one tally."""

    def __init__(
        self, bench: EntityInputs, ran: Mapping[str, SystemRun], settings: EntitySettings
    ) -> None:
        self._bench = bench
        self._ran = ran
        self._settings = settings
        self.tally = NoteTally(bench.notes)
        spans = len(bench.gold)
        ones = np.ones(spans)
        self._by_note = csr_array(
            (ones, (bench.gold.note, np.arange(spans))), shape=(bench.notes, spans)
        )

    def rows(self, kind: str, rule: str, chosen: Mapping[str, Subset]) -> None:
        """The accuracy of every system on every subset, their mean, and that of all together."""
        if rule not in next(iter(self._ran.values())).spans:
            return
        each = {name: one.spans[rule] for name, one in self._ran.items()}
        stacked = np.stack(list(each.values()))
        each |= {AVERAGE: stacked.mean(axis=0), POOLED: stacked.max(axis=0)}
        for subset in chosen.values():
            some = subset.spans.astype(np.float64)
            number = self.tally.columns(self._sums(some))
            for name, values in each.items():
                right = self.tally.columns(self._sums(values * some))
                self.tally.note(
                    (kind, name, subset.name),
                    RULES[rule],
                    np.concatenate([right, number]),
                    tally.ratio,
                    len(subset),
                    subset.undefined or EMPTY,
                )

    def end_to_end(self) -> None:
        """Precision, recall, F1 and shared characters of every system."""
        for name, one in self._ran.items():
            for kind, numbers in one.found.panel.items():
                columns = self.tally.columns(*numbers.T)
                for ratio, value, why in (
                    ("recall", tally.ratio, "gold has no spans"),
                    ("precision", tally.precision, "nothing was predicted"),
                    ("f1", tally.f1, "gold and predictions are both empty"),
                ):
                    key = ("panel", name, kind, ratio)
                    self.tally.note(
                        key, end_to_end.PANEL[kind], columns, value, self._bench.notes, why
                    )
            for kind, numbers in one.found.iou.items():
                self.tally.note(
                    ("iou", name, kind),
                    end_to_end.IOU[kind],
                    self.tally.columns(*numbers.T),
                    tally.ratio,
                    self._bench.notes,
                    "gold and predictions are both empty",
                )

    def recognized(self, chosen: Mapping[str, Subset]) -> None:
        """The columns of Table 3 of every system, on the same spans and on overlapping ones."""
        for subset in chosen.values():
            some = subset.spans
            number = self.tally.columns(self._sums(some))
            for name, one in self._ran.items():
                kinds = {
                    "exact": (one.given.same >= 0, one.found.is_right),
                    "overlap": (one.found.spans["span_overlap"] > 0, one.found.is_hit),
                }
                for kind, (spans, right) in kinds.items():
                    found = self.tally.columns(self._sums(spans & some))
                    sound = self.tally.columns(self._sums(right & some))
                    for column, top, bottom, definition, why in (
                        ("spans", found, number, "predicted gold spans / gold spans", EMPTY),
                        ("concepts", sound, number, "predicted gold spans with a right "
                         "concept / gold spans", EMPTY),
                        ("precision", sound, found, "predicted gold spans with a right "
                         "concept / predicted gold spans", "none of its spans was predicted"),
                    ):  # fmt: skip
                        self.tally.note(
                            (f"recognized {kind}", name, subset.name, column),
                            definition,
                            np.concatenate([top, bottom]),
                            tally.ratio,
                            len(subset),
                            why,
                        )

    def spread(self, kind: str, chosen: Collection[Subset]) -> None:
        """The brittleness of every system over subsets that are noted down already."""
        definition = brittleness.DEFINITION.format(self._settings.least_spread)
        why = f"fewer than two of them have {self._settings.least_spread} spans"
        for name in self._ran:
            columns = [self.tally.columns_of((kind, name, subset.name)) for subset in chosen]
            every = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
            self.tally.note(
                (f"spread {kind}", name), definition, every, brittleness.spread, len(columns), why
            )

    def _sums(self, values: Floats | Bools) -> Floats:
        summed: Floats = self._by_note @ values.astype(np.float64)
        return summed
