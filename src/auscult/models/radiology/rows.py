"""Features of a code in a report, the same for every code.

One classifier is trained on all codes, so what holds for frequent codes (a symptom is not coded
beside the disease that explains it, uncertain findings are not coded) carries over to rare ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from auscult.codes import describe
from auscult.codes.symptoms import explains, is_symptom
from auscult.learning.arrays import stored_arrays
from auscult.models.label_space import LabelSpace
from auscult.models.radiology.concepts import packaged
from auscult.models.radiology.radiology_text import (
    AFFIRMED,
    HISTORY,
    HOWS,
    IMPRESSION,
    KNOWN,
    PARTS,
    Cell,
)

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]
_CONSIDERED = 0.02
"""Minimum probability of a code that is considered without a concept of its own."""
_PRIOR = 2.0
"""Weight of the average in smoothed shares, in charts."""
_LIKELY = 0.2
"""Minimum probability of a code that counts as present when others are compared with it."""
_FLAGS = len(PARTS) * len(HOWS)


@dataclass(frozen=True, eq=False)
class ConceptCodeLinks:
    """Which concepts stand for which codes of a label space, and which codes explain which."""

    codes_of: dict[str, Places]
    explained_by: dict[int, Places]

    @classmethod
    def of(cls, labels: LabelSpace) -> ConceptCodeLinks:
        """By ICD's index (`concepts.toml`), and by the concepts that a code's description names."""
        concepts = packaged()
        found: dict[str, set[int]] = {
            concept: {labels.index[code] for code in codes if code in labels.index}
            for concept, codes in concepts.codes.items()
        }
        listed = set().union(*found.values())
        for at, code in enumerate(labels.codes):
            if at not in listed:
                words = (describe(code) or "").lower().replace(",", " ").split()
                for hit in concepts.find(words):
                    found[hit.concept].add(at)
        explained = {
            symptom: [at for at, code in enumerate(labels.codes) if explains(code, given)]
            for symptom, given in enumerate(labels.codes)
            if is_symptom(given)
        }
        return cls(
            {concept: np.array(sorted(codes), np.int64) for concept, codes in found.items()},
            {symptom: np.array(by, np.int64) for symptom, by in explained.items() if by},
        )


@dataclass(frozen=True, eq=False)
class RadiologyCounts:
    """Counts over training charts. `cells` are what `names` names, in order."""

    names: tuple[Cell, ...]
    having: Floats
    """(cells) charts in which a concept is named in this way."""
    shared: Floats
    """(cells, codes) those that have the code."""
    beside: Floats
    """(codes, codes) charts in which the first one's concept is affirmed, that have the second."""
    both: Floats
    """(codes, codes) those that have both."""
    prior: Floats
    """(codes) the share of charts that have the code."""
    named: Floats
    """(cells) the share of charts that have a code where a concept of it is named in this way,
    over all concepts: what to expect of a concept that is rare."""

    @classmethod
    def count(
        cls, charts: Sequence[Iterable[Cell]], gold: npt.NDArray[np.bool_], links: ConceptCodeLinks
    ) -> RadiologyCounts:
        """Count cells and codes; `gold` is charts × codes."""
        names = tuple(sorted(set[Cell]().union(*charts)))
        place = {cell: at for at, cell in enumerate(names)}
        table = np.zeros((len(charts), len(names)), np.float32)
        affirmed = np.zeros(gold.shape, np.float32)
        for row, cells in enumerate(charts):
            table[row, [place[cell] for cell in cells]] = 1
            affirmed[row] = flags(cells, links, gold.shape[1])[_AFFIRMING].max(axis=0)
        given = gold.astype(np.float32)
        having, shared = table.sum(axis=0), table.T @ given
        return cls(
            names,
            having,
            shared,
            affirmed.T @ given,
            ((affirmed * given).T @ given).astype(np.float32),
            ((given.sum(axis=0) + 0.5) / (len(charts) + 1)).astype(np.float32),
            _named(names, having, shared, links),
        )

    def save(self, file: Path) -> None:
        """Write the arrays; names are text."""
        arrays = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "names"}
        np.savez_compressed(file, names=np.array(["|".join(cell) for cell in self.names]), **arrays)

    @classmethod
    def load(cls, file: Path) -> RadiologyCounts:
        """What `save` wrote."""
        with stored_arrays(file) as held:
            names = tuple(_cell(name) for name in held["names"].tolist())
            arrays = [held[one.name] for one in fields(cls) if one.name != "names"]
            return cls(names, *arrays)


@dataclass(frozen=True, eq=False)
class RadiologyRows:
    """The candidate codes of a chart, and the features of each."""

    codes: Places
    numbers: Floats


class RadiologyRowMaker:
    """Makes the rows of charts from the tallies of training charts."""

    def __init__(self, links: ConceptCodeLinks, tallies: RadiologyCounts) -> None:
        self._links = links
        self._tallies = tallies
        self._place = {cell: at for at, cell in enumerate(tallies.names)}

    def make(self, named: Sequence[Cell], logits: Sequence[Floats]) -> RadiologyRows:
        """The rows of one chart, from its cells in order and the linear models' log-odds."""
        size = len(self._tallies.prior)
        cells = frozenset(named)
        flag = flags(cells, self._links, size)
        probability = expit(np.mean(logits, axis=0)).astype(np.float32)
        codes = np.flatnonzero((probability >= _CONSIDERED) | (flag.max(axis=0) > 0))
        if not len(codes):
            codes = np.array([probability.argmax()], np.int64)
        precision = self._precision(cells)
        columns: list[Floats] = []
        for logit in logits:
            columns += [logit, logit - _best_other(logit)]
        columns += list(flag)
        columns += precision
        columns += self._explained(flag, probability)
        columns += [self._coexists(probability)]
        affirmed = flag[_AFFIRMING].max(axis=0)
        columns += [
            np.full(size, affirmed.sum(), np.float32),
            self._order(named),
            np.argsort(np.argsort(-probability, kind="stable"), kind="stable").astype(np.float32),
        ]
        return RadiologyRows(
            codes.astype(np.int64), np.stack(columns, axis=1)[codes].astype(np.float32)
        )

    def _precision(self, cells: frozenset[Cell]) -> list[Floats]:
        """How often the code was given where its concepts are named as here.

        The highest share over the code's own concepts, over all that is named in the report, in
        its history, in its impression; and the mean.
        """
        tallies = self._tallies
        at = [self._place[cell] for cell in cells if cell in self._place]
        prior = tallies.prior.astype(np.float32)
        if not at:
            return [prior] * 5
        shared, having = tallies.shared[at], tallies.having[at]
        is_own = np.zeros(shared.shape, bool)
        for row, one in enumerate(at):
            is_own[row, self._links.codes_of[tallies.names[one][0]]] = True
        expected = np.where(is_own, tallies.named[at][:, None], prior)
        share = (shared + _PRIOR * expected) / (having[:, None] + _PRIOR)
        parts = np.array([tallies.names[one][1] for one in at])
        return [
            np.where(is_own, share, 0).max(axis=0),
            share.max(axis=0),
            *(
                share[parts == part].max(axis=0) if (parts == part).any() else prior
                for part in (HISTORY, IMPRESSION)
            ),
            share.mean(axis=0),
        ]

    def _order(self, named: Sequence[Cell]) -> Floats:
        """The place of a code's concept among those that are affirmed, in the order of the text."""
        found = np.full(len(self._tallies.prior), 9, np.float32)
        affirmed = [concept for concept, _, how in named if how in (AFFIRMED, KNOWN)]
        coded = [one for one in dict.fromkeys(affirmed) if len(self._links.codes_of[one])]
        for place, concept in reversed(list(enumerate(coded))):
            found[self._links.codes_of[concept]] = place
        return found

    def _explained(self, flag: Floats, probability: Floats) -> list[Floats]:
        """Whether a code is a symptom, and how far a diagnosis that explains it is there."""
        size = len(probability)
        is_symptom, affirmed, likely = (np.zeros(size, np.float32) for _ in range(3))
        here = flag[_AFFIRMING].max(axis=0)
        for symptom, by in self._links.explained_by.items():
            is_symptom[symptom] = 1
            affirmed[symptom] = here[by].max()
            likely[symptom] = probability[by].max()
        return [is_symptom, affirmed, likely]

    def _coexists(self, probability: Floats) -> Floats:
        """How often the code was given beside the codes that are likely here, its concept affirmed.

        The lowest of the shares, each weighted by the probability of the other code.
        """
        found = np.ones(len(probability), np.float32)
        for other in np.flatnonzero(probability >= _LIKELY).tolist():
            share = (self._tallies.both[:, other] + _PRIOR * 0.5) / (
                self._tallies.beside[:, other] + _PRIOR
            )
            value = 1 - probability[other] * (1 - share)
            value[other] = 1
            found = np.minimum(found, value)
        return found


_AFFIRMING = [
    part * len(HOWS) + how
    for part in range(len(PARTS))
    for how, name in enumerate(HOWS)
    if name in (AFFIRMED, KNOWN)
]


def _named(
    names: Sequence[Cell], having: Floats, shared: Floats, links: ConceptCodeLinks
) -> Floats:
    """For each cell how often one of its part and sense has the code that its concept is linked to.

    Of a concept that is linked to several codes the most frequent counts.
    """
    hits: dict[tuple[str, str], float] = {}
    total: dict[tuple[str, str], float] = {}
    for at, (concept, part, how) in enumerate(names):
        codes = links.codes_of[concept]
        if len(codes):
            hits[part, how] = hits.get((part, how), 0.0) + float(shared[at, codes].max())
            total[part, how] = total.get((part, how), 0.0) + float(having[at])
    return np.array(
        [
            (hits.get((part, how), 0.0) + 0.5) / (total.get((part, how), 0.0) + 1)
            for _, part, how in names
        ],
        np.float32,
    )


def flags(cells: Iterable[Cell], links: ConceptCodeLinks, size: int) -> Floats:
    """(parts × hows, codes) whether a concept of the code is named in a part in a sense."""
    found = np.zeros((_FLAGS, size), np.float32)
    for concept, part, how in cells:
        found[PARTS.index(part) * len(HOWS) + HOWS.index(how), links.codes_of[concept]] = 1
    return found


def _best_other(values: Floats) -> Floats:
    """For each place the largest value at another."""
    if len(values) < 2:
        return values
    second, first = np.partition(values, -2)[-2:]
    found: Floats = np.where(values == first, second, first).astype(np.float32)
    return found


def _cell(name: str) -> Cell:
    concept, part, how = name.split("|")
    return concept, part, how
