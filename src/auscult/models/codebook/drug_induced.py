"""Conditions that a drug brought about, where the index has a subterm *drug-induced*.

The drug itself is coded beside them (ICD-10-CM Official Guidelines, Section I.C.19.e.5.a).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from auscult.codes.coding_edits.finding import official
from auscult.models.codebook.mention import ABSENT, Mention
from auscult.models.codebook.phrase_table import rows

_NEAR = 40
"""Characters between a condition and the drug that brought it about."""
_ADVERSE, _ANTINEOPLASTIC = "adverse-effect of", "T45.1X5"
_RULE, _SUBSTANCE = "rule", 6
"""A code up to here names the substance, the next character the intent."""
_GUIDELINE = official("I.C.19.e.5.a")


def of_drugs(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions, with the code of what a drug brings about beside the name of that drug."""
    drugs = [one for one in mentions if one.why.startswith(_ADVERSE)]
    told = {one.code[:_SUBSTANCE] for one in mentions if _is_of_drug(one) and one.source == _RULE}
    # The intent that stands beside a drug goes before the one that a name has by itself.
    kept = (
        one
        for one in mentions
        if one.source == _RULE or not _is_of_drug(one) or one.code[:_SUBSTANCE] not in told
    )
    return [_of_drug(one, drugs) for one in kept]


def _is_of_drug(one: Mention) -> bool:
    return "T36" <= one.code[:3] <= "T50"


def _of_drug(one: Mention, drugs: Sequence[Mention]) -> Mention:
    codes = _induced().get(one.code)
    if codes is None or one.assertion in ABSENT:
        return one
    for drug in drugs:
        apart = max(drug.begin - one.spans[-1].end, one.begin - drug.spans[-1].end)
        if drug.note == one.note and apart <= _NEAR:
            code = codes[drug.code.startswith(_ANTINEOPLASTIC)]
            if code != one.code:
                return replace(
                    one,
                    code=code,
                    why=f"{one.why}, {drug.why} → {code}",
                    rules=(*one.rules, _GUIDELINE),
                )
    return one


@cache
def _induced() -> dict[str, tuple[str, str]]:
    return {begins: (drug, chemo) for begins, drug, chemo, _ in rows("drug_induced.tsv")}
