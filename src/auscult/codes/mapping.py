"""One code to one code of the other revision, step by step, and which step decided.

The procedure is MDACE's (Cheng et al. 2023, appendix B), which maps ICD-10 back to ICD-9:

1. the identical match, or the single approximate match, of the General Equivalence Mappings;
2. of several, the one in a given set of codes (theirs: MIMIC-III's), otherwise the one with the
   largest share of its description's words in the code's own description ("of" left aside, and
   ICD-10-PCS's radiography taken for ICD-9's x-ray);
3. where no mapping exists, whatever the parent code maps to.

No mapping exists for a code that has no entry, and for one whose entry says that it has no
equivalent. The first takes the nearest code above with a mapping, the second only its parent's:
two levels up underdosing would become poisoning. From ICD-9 to ICD-10, which is not MDACE's
procedure, a code without an equivalent goes nowhere. A heading, which has no entry, is taken for
the codes below it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from auscult.codes.gems import Gems
from auscult.codes.systems import is_well_formed, normalize
from auscult.codes.tables import describe, is_known, table_of
from auscult.core import Code, OptionError
from auscult.core.names import shown

Preference = Sequence[tuple[str, Collection[str]]]
"""Named sets of target codes, the most preferred first: `[("chart", {"401.9"}), …]`."""


# The two revisions' names for one examination.
_SAME = {"x-ray": "radiography", "roentgenography": "radiography", "ultrasonography": "ultrasound"}
_CLOSE = 0.1
"""Descriptions whose word overlap is within this margin of the best are considered equally good."""


class MappingStep(StrEnum):
    """What decided a mapping."""

    IDENTICAL = "identical"
    APPROXIMATE = "approximate"
    MULTIPLE = "multiple"
    PARENT = "parent"
    NONE = "none"


class Absence(StrEnum):
    """Why the mappings have no row for a code.

    It is not written like one of its system; it is a heading over codes; no table has it; or it
    came after the mappings.
    """

    MALFORMED = "malformed"
    HEADING = "heading"
    UNKNOWN = "unknown"
    NEWER = "newer"


@dataclass(frozen=True, slots=True)
class Mapped:
    """Where a code went, how that was decided, and what else it might have been.

    `by` says what chose among several: a preferred set, by its name, or the `description`; `close`
    are those whose description fits about as well, so that the choice is nearly arbitrary. `via`
    is the parent whose mapping was taken; a heading is mapped via itself, by the codes below it.
    `scenarios` are combinations of several codes that say the same. `absent` says why the
    mappings do not have the code, where they do not.
    """

    source: Code
    code: Code | None
    step: MappingStep
    alternatives: tuple[str, ...] = ()
    scenarios: tuple[tuple[str, ...], ...] = ()
    by: str | None = None
    via: str | None = None
    absent: Absence | None = None
    close: tuple[str, ...] = ()

    @property
    def newer(self) -> bool:
        """Whether the code came after the mappings."""
        return self.absent is Absence.NEWER

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **asdict(self),
            "source": self.source.value,
            "code": self.code and self.code.value,
            "newer": self.newer,
        }


def map_code(code: Code, gems: Gems, *, among: Preference = ()) -> Mapped:
    """Map a code by the steps above; `among` says which codes to prefer when there are several.

    >>> from auscult.codes.gems import packaged_gems
    >>> back = packaged_gems("ICD-10-CM", "ICD-9-CM")
    >>> found = map_code(Code("ICD-10-CM", "I10"), back, among=[("set", {"401.9"})])
    >>> found.code.value, found.step.value, found.by, found.alternatives
    ('401.9', 'multiple', 'set', ('401.0', '401.1'))
    """
    if code.system != gems.source:
        raise OptionError(
            f"These mappings are from {gems.source}; {code} is of another code system."
        )
    found = _by_entry(code, gems, among)
    if found is not None:
        return found
    absent = None if gems.of(code.value) else why_absent(code)
    via = _parent(code, gems) if absent is None else _above_with_entry(code, gems, absent)
    inherited = None if via is None else _from_parent(code, via, gems, among)
    if inherited is None:
        return Mapped(
            code, None, MappingStep.NONE, absent=absent, scenarios=gems.scenarios(code.value)
        )
    return Mapped(
        code,
        inherited.code,
        MappingStep.PARENT,
        inherited.alternatives,
        gems.scenarios(code.value),
        by=inherited.by,
        via=via,
        absent=absent,
        close=inherited.close,
    )


def preferred_codes(values: Iterable[str], *systems: str) -> frozenset[str]:
    """The codes of the systems that values stand for, however written; a warning names the rest.

    >>> sorted(preferred_codes(["4019", "38.93"], "ICD-9-CM", "ICD-9-PCS"))
    ['38.93', '40.19', '401.9']
    """
    found: set[str] = set()
    unknown = []
    for value in dict.fromkeys(values):
        codes = [Code(system, normalize(system, value)) for system in systems]
        found.update(code.value for code in codes if is_well_formed(code))
        if not any(map(is_known, codes)):
            unknown.append(value)
    if unknown:
        many = f" and {len(unknown) - 1:,} more are" if len(unknown) > 1 else " is"
        warnings.warn(
            f"The preferred code {shown(unknown[0])}{many} in no table of {' or '.join(systems)}.",
            stacklevel=2,
        )
    return frozenset(found)


def why_absent(code: Code) -> Absence:
    """What to make of a code that the mappings do not have.

    The tables here are newer than the mappings, so a code in them is newer too. One that is in no
    table is newer still, or does not exist; of ICD-9, which grows no more, it does not exist.

    >>> [why_absent(Code("ICD-10-CM", v)).value for v in ("ZZZ", "I50", "I50.99", "F32.A")]
    ['malformed', 'heading', 'unknown', 'newer']
    """
    if not is_well_formed(code):
        return Absence.MALFORMED
    table = table_of(code.system)
    if table is None or code.value not in table:
        return Absence.UNKNOWN
    return Absence.NEWER if table.is_billable(code.value) else Absence.HEADING


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
        step = MappingStep.IDENTICAL if exact else MappingStep.APPROXIMATE
        return Mapped(code, Code(gems.target, targets[0]), step)
    chosen, by, close = _choose(code, gems.target, targets, among)
    rest = tuple(target for target in targets if target != chosen)
    found = Code(gems.target, chosen)
    return Mapped(code, found, MappingStep.MULTIPLE, rest, scenarios, by=by, close=close)


def _from_parent(code: Code, via: str, gems: Gems, among: Preference) -> Mapped | None:
    """The mapping of the parent: its own entry, or what its other children map to."""
    own = _by_entry(Code(code.system, via), gems, among)
    if own is not None:
        return own
    siblings = gems.below(via.replace(".", ""))
    targets = tuple(dict.fromkeys(t for sibling in siblings for t in gems.targets(sibling)))
    if not targets:
        return None
    chosen, by, close = _choose(code, gems.target, targets, among)
    rest = tuple(target for target in targets if target != chosen)
    return Mapped(code, Code(gems.target, chosen), MappingStep.PARENT, rest, by=by, close=close)


def _parent(code: Code, gems: Gems) -> str | None:
    """The parent of a code without an equivalent, where it is asked: going back to ICD-9."""
    table = table_of(code.system)
    if table is None or code.value not in table or not gems.source.startswith("ICD-10"):
        return None
    return table.parent(code.value)


def _above_with_entry(code: Code, gems: Gems, absent: Absence) -> str | None:
    """The code itself, if it is a heading, or the nearest above that the mappings have codes of."""
    if absent is Absence.MALFORMED:
        return None
    table = table_of(code.system)
    at = None if table is None else code.value if code.value in table else table.parent(code.value)
    while table is not None and at is not None and not gems.below(at.replace(".", "")):
        at = table.parent(at)
    return at


def _choose(
    code: Code, system: str, targets: tuple[str, ...], among: Preference
) -> tuple[str, str, tuple[str, ...]]:
    """The target to take, what chose it, and those that fit about as well."""
    for name, codes in among:
        preferred = [target for target in targets if target in codes]
        if len(preferred) == 1:
            return preferred[0], name, ()
        if preferred:
            targets = tuple(preferred)
    own = describe(code)

    def overlap(target: str) -> tuple[float, float]:
        other = describe(Code(system, target))
        return _share(_telling(own), _telling(other)), _share(_words(own), _words(other))

    fits = {target: overlap(target) for target in targets}
    # Of equals the last: a classification lists "unspecified" after what is specified.
    chosen = max(reversed(targets), key=fits.__getitem__)
    least = fits[chosen][0] - _CLOSE
    close = tuple(target for target in targets if target != chosen and fits[target][0] >= least)
    return chosen, "description", close


def _share(words: frozenset[str], of: frozenset[str]) -> float:
    return len(words & of) / len(of) if of else 0.0


def _words(description: str | None) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", (description or "").lower()))


def _telling(description: str | None) -> frozenset[str]:
    written = (description or "").lower()
    for name, other in _SAME.items():
        written = written.replace(name, other)
    return _words(written) - {"of"}
