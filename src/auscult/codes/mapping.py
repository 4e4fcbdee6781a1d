"""One code to one code of the other revision, step by step, and which step decided.

The procedure is MDACE's (Cheng et al. 2023, appendix B), which maps ICD-10 back to ICD-9:

1. the identical match, or the single approximate match, of the General Equivalence Mappings;
2. of several, the one in a given set of codes (theirs: MIMIC-III's), otherwise the one with the
   largest share of its description's words in the code's own description;
3. without an entry, whatever the parent code maps to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from auscult.codes.gems import Gems
from auscult.codes.systems import normalise
from auscult.codes.tables import describe
from auscult.core import Code, OptionError

Preference = Sequence[tuple[str, Collection[str]]]
"""Named sets of target codes, the most preferred first: `[("chart", {"401.9"}), …]`."""


class Step(StrEnum):
    """What decided a mapping."""

    IDENTICAL = "identical"
    APPROXIMATE = "approximate"
    MULTIPLE = "multiple"
    PARENT = "parent"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Mapped:
    """Where a code went, how that was decided, and what else it might have been.

    `by` says what chose among several: a preferred set, by its name, or the `description`. `via`
    is the parent whose mapping was taken. `scenarios` are combinations of several codes that say
    the same. `newer` marks a code that is not in the mappings at all.
    """

    source: Code
    code: Code | None
    step: Step
    alternatives: tuple[str, ...] = ()
    scenarios: tuple[tuple[str, ...], ...] = ()
    by: str | None = None
    via: str | None = None
    newer: bool = False

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**asdict(self), "source": self.source.value, "code": self.code and self.code.value}


def map_code(code: Code, gems: Gems, *, among: Preference = ()) -> Mapped:
    """Map a code by the steps above; `among` says which codes to prefer when there are several.

    >>> from auscult.codes.gems import packaged_gems
    >>> back = packaged_gems("ICD-10-CM", "ICD-9-CM")
    >>> found = map_code(Code("ICD-10-CM", "I10"), back, among=[("set", {"401.9"})])
    >>> found.code.value, found.step.value, found.by, found.alternatives
    ('401.9', 'multiple', 'set', ('401.0', '401.1'))
    """
    if code.system != gems.source:
        raise OptionError(f"These mappings are from {gems.source}; {code} is of another system.")
    found = _by_entry(code, gems, among)
    if found is not None:
        return found
    newer = not gems.of(code.value)
    via = _parent_with_entry(code, gems)
    inherited = None if via is None else _from_parent(code, via, gems, among)
    if inherited is None:
        return Mapped(code, None, Step.NONE, newer=newer, scenarios=gems.scenarios(code.value))
    return Mapped(
        code,
        inherited.code,
        Step.PARENT,
        inherited.alternatives,
        gems.scenarios(code.value),
        by=inherited.by,
        via=via,
        newer=newer,
    )


def _by_entry(code: Code, gems: Gems, among: Preference) -> Mapped | None:
    """What the code's own rows say; None when they name no code."""
    targets = gems.targets(code.value)
    scenarios = gems.scenarios(code.value)
    if not targets and scenarios:
        # Nothing but combinations: the code that carries the meaning is in the first choice list.
        targets = tuple(dict.fromkeys(together[0] for together in scenarios))
    if not targets:
        return None
    rows = gems.of(code.value)
    exact = [row for row in rows if not row.approximate and row.target is not None]
    if len(targets) == 1 and not scenarios:
        step = Step.IDENTICAL if exact else Step.APPROXIMATE
        return Mapped(code, Code(gems.target, targets[0]), step)
    chosen, by = _choose(code, gems.target, targets, among)
    rest = tuple(target for target in targets if target != chosen)
    return Mapped(code, Code(gems.target, chosen), Step.MULTIPLE, rest, scenarios, by=by)


def _from_parent(code: Code, via: str, gems: Gems, among: Preference) -> Mapped | None:
    """The mapping of the parent: its own entry, or what its other children map to."""
    own = _by_entry(Code(code.system, via), gems, among)
    if own is not None:
        return own
    siblings = gems.below(via.replace(".", ""))
    targets = tuple(dict.fromkeys(t for sibling in siblings for t in gems.targets(sibling)))
    if not targets:
        return None
    chosen, by = _choose(code, gems.target, targets, among)
    rest = tuple(target for target in targets if target != chosen)
    return Mapped(code, Code(gems.target, chosen), Step.PARENT, rest, by=by)


def _parent_with_entry(code: Code, gems: Gems) -> str | None:
    """The nearest code above that the mappings have, or have children of."""
    plain = code.value.replace(".", "")
    for length in range(len(plain) - 1, 2, -1):
        if gems.below(plain[:length]):
            return normalise(code.system, plain[:length])
    return None


def _choose(
    code: Code, system: str, targets: tuple[str, ...], among: Preference
) -> tuple[str, str]:
    for name, codes in among:
        preferred = [target for target in targets if target in codes]
        if len(preferred) == 1:
            return preferred[0], name
        if preferred:
            targets = tuple(preferred)
    words = _words(describe(code))

    def overlap(target: str) -> float:
        other = _words(describe(Code(system, target)))
        return len(words & other) / len(other) if other else 0.0

    # Of equals the last: a classification lists "unspecified" after what is specified.
    return max(reversed(targets), key=overlap), "description"


def _words(description: str | None) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", (description or "").lower()))
