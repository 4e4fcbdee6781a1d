"""Which conditions cannot stand beside each other in one chart.

Rivals are stages, types or degrees of exactness of one disease: heart failure has one type, kidney
disease one stage. That two codes share an ICD-10 category does not make them rivals: E87 holds
low sodium and fluid overload, C78 metastases of the liver and of the lung, and diabetes may have
harmed both the kidneys and the eyes.
"""

from __future__ import annotations

import re

from auscult.synth.clinical_tables import ClinicalTables, Condition

_TIMES = re.compile(r"\b(acute|chronic|on|subacute)\b")
_AFTER = re.compile(r" (with|due) .*")


def rivals(known: ClinicalTables) -> dict[str, frozenset[str]]:
    """For each condition those that cannot stand beside it in one chart."""
    rows = list(known.conditions.values())
    family = {row.id: _family(row, known) for row in rows}
    harm = {row.id: _harm(row, known, family) for row in rows}
    found: dict[str, set[str]] = {row.id: set() for row in rows}
    for at, row in enumerate(rows):
        for other in rows[:at]:
            apart = harm[row.id] and harm[other.id] and harm[row.id].isdisjoint(harm[other.id])
            if _are_rivals(row, other, family[row.id] == family[other.id], bool(apart)):
                found[row.id].add(other.id)
                found[other.id].add(row.id)
    return {name: frozenset(others) for name, others in found.items()}


def _are_rivals(row: Condition, other: Condition, related: bool, apart: bool) -> bool:
    """Whether two conditions exclude each other.

    `related`: the same condition stands for both when it is not known which; `apart`: each harms
    something that the other leaves alone.
    """
    if row.icd10 == other.icd10 or other.id == row.less_specific or row.id == other.less_specific:
        return True
    together = row.icd10[:3] == other.icd10[:3]
    if related:
        return not (together and apart) or _are_opposite(row, other)
    confused = other.id in row.confused_with and row.id in other.confused_with
    if "status" in (row.kind, other.kind) or "injury" in (row.kind, other.kind):
        return row.kind == other.kind == "status" and confused
    if not together:
        return False
    if other.id in row.parts or row.id in other.parts or _disease(row) == _disease(other):
        return True
    if _are_opposite(row, other):
        return True
    if other.id in row.risks or row.id in other.risks:
        return False
    return row.kind == other.kind and confused


def _family(row: Condition, known: ClinicalTables) -> str:
    """The condition at the end of the way from exact to less exact."""
    seen = {row.id}
    while row.less_specific is not None and row.less_specific not in seen:
        seen.add(row.less_specific)
        row = known.conditions[row.less_specific]
    return row.id


def _harm(row: Condition, known: ClinicalTables, family: dict[str, str]) -> frozenset[str]:
    """Parts of the body, diseases and symptoms that a condition names besides its own disease."""
    found = set()
    for part in row.parts:
        other = known.conditions.get(part)
        if other is not None:
            named = other.kind != "status" and family[other.id] != family[row.id]
        else:
            term = known.terms.get(part)
            named = part in known.symptoms or (term is not None and term.type.startswith("Body P"))
        if named:
            found.add(part)
    return frozenset(found)


def _disease(row: Condition) -> str:
    """The name without its times and what follows: `respiratory failure`.

    >>> from auscult.synth.clinical_tables import load
    >>> _disease(load().conditions["acute_on_chronic_resp_failure_hypoxia"])
    'respiratory failure'
    """
    return " ".join(_TIMES.sub("", _AFTER.sub("", row.name)).split())


def _are_opposite(row: Condition, other: Condition) -> bool:
    """Whether a test that is high in one is low in the other."""
    return any(other.labs.get(lab, way) != way for lab, way in row.labs.items())
