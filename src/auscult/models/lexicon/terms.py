"""Terms of codes: which keys stand for which codes, in which wordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from auscult.models.label_space import LabelSpace
from auscult.models.lexicon.analogy import DerivedTerm, derive
from auscult.models.lexicon.gold_evidence import FOLDS
from auscult.models.lexicon.lexicon_text import Key, shortened
from auscult.models.lexicon.strings import Ids

LONGEST = 7

_NONE: dict[int, int] = {}


@dataclass
class TermTable:
    """Which keys (sorted shortened stems) stand for which codes, in which wordings.

    `wordings[key][stems][code]` is the number of training charts that have it, the code's name
    counting as one. During training, `parts` tells how many of them are in each fold, so that a
    chart is never matched by a term of its own fold only.

    `derived[None]` are the terms derived from evidence and names by analogy; during training,
    `derived[fold]` are those derived without a fold.
    """

    wordings: dict[Key, dict[Key, dict[int, int]]] = field(default_factory=dict, repr=False)
    parts: dict[tuple[Key, Key, int], dict[int, int]] = field(default_factory=dict, repr=False)
    derived: dict[int | None, dict[Key, dict[int, DerivedTerm]]] = field(
        default_factory=dict, repr=False
    )

    def add(
        self,
        key: Key,
        wording: Key,
        code: int,
        parts: Mapping[int, int] = _NONE,
        hidden: Collection[int] = (),
    ) -> None:
        """Add the charts that have a wording for a code, by fold; none of them for a code's name.

        Without any of the folds `hidden`, the term would not be known.
        """
        codes = self.wordings.setdefault(key, {}).setdefault(wording, {})
        codes[code] = codes.get(code, 0) + (sum(parts.values()) if parts else 1)
        if parts:
            known = {**parts, **dict.fromkeys(hidden, sum(parts.values()))}
            self.parts[key, wording, code] = known

    def derive(self, labels: LabelSpace) -> None:
        """Add what follows by analogy from the terms there are."""
        for without in (None, *range(FOLDS)):
            self.derived[without] = derive(self._held(without), labels)

    def forget_folds(self) -> None:
        """Keep only what is needed to match."""
        self.parts.clear()
        self.derived = {None: self.derived.get(None, {})}

    def all_keys(self) -> set[Key]:
        """What to look for."""
        return {*self.wordings, *(key for terms in self.derived.values() for key in terms)}

    def _held(self, without: int | None) -> dict[Key, dict[int, int]]:
        """Every key with its codes and the charts behind each, in whatever wording."""
        found: dict[Key, dict[int, int]] = {}
        for key, wordings in self.wordings.items():
            codes: Counter[int] = Counter()
            for wording, counted in wordings.items():
                for code, count in counted.items():
                    part = self.parts.get((key, wording, code), _NONE)
                    codes[code] += count - (0 if without is None else part.get(without, 0))
            if codes := +codes:
                found[key] = dict(codes)
        return found


def content(folded: Ids, places: Sequence[int], common: npt.NDArray[np.bool_]) -> list[int]:
    """The words of a term that count: all but common ones inside it."""
    last = len(places) - 1
    return [at for order, at in enumerate(places) if order in (0, last) or not common[folded[at]]]


def key_of(wording: Sequence[str]) -> Key:
    """The key of a wording, given by its stems."""
    return tuple(sorted({shortened(stem) for stem in wording}))
