"""Combination codes: one code for two conditions that the classification takes for linked.

ICD-10-CM Official Guidelines, Section I.B.9 (combination codes), I.A.15 ("with" presumes a link
between diabetes and what the index lists under it), I.C.9.a (hypertension with heart failure and
with chronic kidney disease), I.C.10.a and the notes at J44.0, I.C.1.d (sepsis and its organism).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from auscult.codes.coding_edits.finding import official
from auscult.models.codebook.mention import ABSENT, Mention

_NEAR = 120
"""Characters within which an organism belongs to an infection."""
_HEART_FAILURE = ("I50",)
_HEART_DISEASE = ("I51.4", "I51.5", "I51.7", "I51.81", "I51.89", "I51.9")
_KIDNEY_DISEASE = ("N18", "E08.22", "E09.22", "E10.22", "E11.22", "E13.22")
_LAST_STAGES = ("N18.5", "N18.6")
_DIABETES = ("E08.9", "E09.9", "E10.9", "E11.9", "E13.9")
_DIABETIC: Mapping[str, tuple[str, bool]] = {
    "N18": ("22", False), "L97": ("621", False),
    "H35.0": ("319", True), "G62.9": ("40", True), "G63": ("40", True), "K31.84": ("43", True),
    "I73.9": ("51", True), "I96": ("52", True), "R73.9": ("65", True), "E16.2": ("649", True),
}  # fmt: skip
"""What diabetes is presumed to cause: how the code goes on, and whether it says all of it."""
_GANGRENE = "I96"
"""Necrosis, too, which diabetes is not presumed to cause."""
_ORGANISMS: Mapping[str, Mapping[str, str]] = {
    "A41.9": {
        "B95.61": "A41.01", "B95.62": "A41.02", "B95.0": "A40.0", "B95.1": "A40.1",
        "B95.2": "A41.81", "B95.3": "A40.3", "B96.20": "A41.51", "B96.5": "A41.52",
        "B96.1": "A41.59",
    },
    "J18.9": {
        "B95.61": "J15.211", "B95.62": "J15.212", "B95.3": "J13", "B96.1": "J15.0",
        "B96.5": "J15.1", "B96.3": "J14", "B96.20": "J15.5",
    },
}  # fmt: skip


_LOCAL_INFECTIONS = ("I33", "J15", "K65", "L0", "M00", "M46", "M86", "N10", "N39.0", "T81.4")
_PAIRS: tuple[tuple[str, tuple[str, ...], str, bool, str], ...] = (
    ("J44.9", ("J12", "J13", "J14", "J15", "J16", "J18", "J20", "J22"), "J44.0", False, "I.C.10.a"),
    ("K80.20", ("K81.2",), "K80.12", True, "I.B.9"),
    ("K80.20", ("K81.0",), "K80.00", True, "I.B.9"),
    ("K80.20", ("K81.1",), "K80.10", True, "I.B.9"),
    ("K70.30", ("R18",), "K70.31", True, "I.B.9"),
    ("I85.00", ("K70.3", "K71.7", "K74", "K76.6"), "I85.10", False, "I.A.15"),
    ("I85.01", ("K70.3", "K71.7", "K74", "K76.6"), "I85.11", False, "I.A.15"),
    ("M35.00", ("H04.12", "H16.20", "H16.22"), "M35.01", True, "I.B.9"),
    ("I25.10", ("I20.0",), "I25.110", True, "I.C.9.b"),
    ("I25.10", ("I20.1",), "I25.111", True, "I.C.9.b"),
    ("I25.10", ("I20.8",), "I25.118", True, "I.C.9.b"),
    ("I25.10", ("I20.9",), "I25.119", True, "I.C.9.b"),
    ("J45.40", ("J45.901",), "J45.41", True, "I.B.9"),
    *((f"A49.0{n}", _LOCAL_INFECTIONS, f"B95.6{n}", False, "I.C.1.b") for n in (1, 2)),
    *(("F10.20", (f"F10.93{n}",), f"F10.23{n}", True, "I.B.9") for n in "0129"),
    *(
        (f"M51.{n}", ("M54.10", "M54.16", "M54.3"), "M51.16", True, "I.B.9")
        for n in ("9", "26", "36")
    ),
    ("J35.1", ("J35.2",), "J35.3", True, "I.B.9"),
    ("M51.27", ("M54.10", "M54.17", "M54.3"), "M51.17", True, "I.B.9"),
    ("N13.30", ("N20.0", "N20.1", "N20.2"), "N13.2", True, "I.B.9"),
)
"""A code, those beside it, the code for both, whether it names all of the other, the guideline."""


_TYPE_2 = re.compile(r"\btype (?:2|ii)\b", re.IGNORECASE)
_NOT_OF_TYPE_1 = frozenset(("E10.00", "E10.01"))
"""A hyperosmolar state is of type 2."""


@dataclass(frozen=True, slots=True)
class Combination:
    """What becomes of one code beside another."""

    code: str
    """The combination."""
    covers_other: bool
    """Whether the other condition is part of it, so that it has no code of its own."""
    guideline: str


Rule = Callable[[Mention, Sequence[Mention]], list[tuple[Combination, Mention]]]
"""From a mention and all that are present to the combinations it is part of."""


def combined(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions with those that make up a combination leading to its code."""
    present = [one for one in mentions if one.assertion not in ABSENT]
    found: list[Mention] = []
    covered: set[str] = set()
    for one in mentions:
        made = _made(one, present) if one.assertion not in ABSENT else []
        for combination, other in made:
            found.append(_with_code(one, combination, other))
            found.append(_with_code(other, combination, one))
            if combination.covers_other:
                covered.add(other.code)
        if not made:
            found.append(one)
    return [one for one in found if one.code not in covered or one.assertion in ABSENT]


def of_one_type(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions, diabetes of no stated type with the type 1 that another mention states.

    ICD-10-CM Official Guidelines, Section I.C.4.a.2: type 2 is the default where none is said.
    """
    types = {one.code[:3] for one in mentions if one.assertion not in ABSENT}
    if not {"E10", "E11"} <= types or any(
        one.code.startswith("E11") and _TYPE_2.search(one.why) for one in mentions
    ):
        return list(mentions)
    guideline = official("I.C.4.a.2")
    return [
        replace(
            one, code=f"E10{one.code[3:]}", why=f"{one.why}, of type 1 → E10{one.code[3:]}",
            rules=(*one.rules, guideline),
        )
        if one.code.startswith("E11") and f"E10{one.code[3:]}" not in _NOT_OF_TYPE_1 else one
        for one in mentions
    ]  # fmt: skip


def _made(one: Mention, present: Sequence[Mention]) -> list[tuple[Combination, Mention]]:
    """The combinations of the first rule that has any."""
    for rule in _RULES:
        found = rule(one, present)
        if found:
            return found
    return []


def _with_code(one: Mention, made: Combination, other: Mention) -> Mention:
    why = f"{one.why}, with {other.code} → {made.code}"
    return replace(one, code=made.code, why=why, rules=(*one.rules, made.guideline))


def _hypertension(one: Mention, present: Sequence[Mention]) -> list[tuple[Combination, Mention]]:
    if one.code != "I10":
        return []
    failure = _first(present, _HEART_FAILURE)
    heart = failure or _first(present, _HEART_DISEASE)
    kidney = _first(present, _KIDNEY_DISEASE)
    is_last = kidney is not None and kidney.code in _LAST_STAGES
    if kidney is not None and heart is not None:
        code = {(True, True): "I13.2", (True, False): "I13.0", (False, True): "I13.11",
                (False, False): "I13.10"}[failure is not None, is_last]  # fmt: skip
        return [(Combination(code, False, official("I.C.9.a.3")), heart)]
    if kidney is not None:
        code = "I12.0" if is_last else "I12.9"
        return [(Combination(code, False, official("I.C.9.a.2")), kidney)]
    if heart is not None:
        code = "I11.0" if failure is not None else "I11.9"
        return [(Combination(code, failure is None, official("I.C.9.a.1")), heart)]
    return []


def _diabetes(one: Mention, present: Sequence[Mention]) -> list[tuple[Combination, Mention]]:
    if one.code not in _DIABETES:
        return []
    return [
        (Combination(f"{one.code[:4]}{rest}", covers, official("I.A.15")), other)
        for begins, (rest, covers) in _DIABETIC.items()
        if (other := _first(present, (begins,))) and (begins != _GANGRENE or "angren" in other.why)
    ]


def _pair(one: Mention, present: Sequence[Mention]) -> list[tuple[Combination, Mention]]:
    """Two conditions that one code names."""
    for first, others, code, covers, guideline in _PAIRS:
        other = _first(present, others) if one.code.startswith(first) else None
        if other is not None:
            return [(Combination(code, covers, official(guideline)), other)]
    return []


def _organism(one: Mention, present: Sequence[Mention]) -> list[tuple[Combination, Mention]]:
    by_organism = _ORGANISMS.get(one.code, {})
    for other in present if by_organism else ():
        code = by_organism.get(other.code)
        near = other.note == one.note and abs(other.begin - one.begin) <= _NEAR
        if code is not None and near:
            return [(Combination(code, True, official("I.B.9")), other)]
    return []


def _first(present: Sequence[Mention], begins: tuple[str, ...]) -> Mention | None:
    return next((one for one in present if one.code.startswith(begins)), None)


_RULES: tuple[Rule, ...] = (_hypertension, _diabetes, _pair, _organism)
