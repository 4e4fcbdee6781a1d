"""What a stroke of the past left behind: one code for the stroke and the deficit.

ICD-10-CM Official Guidelines, Section I.C.9.d: category I69 has the deficits that remain after the
conditions of I60 to I67; Z86.73 is for a stroke that left none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from auscult.assertion.sentences import sentence_edges
from auscult.codes.coding_edits.finding import official
from auscult.models.codebook.mention import ABSENT, Mention

_STROKES = {"I60": "I69.0", "I61": "I69.1", "I63": "I69.3", "Z86.73": "I69.3", "I69.30": "I69.3"}
_PAST = ("Z86.73", "I69.30")
"""Of them, those that say that it is over."""
_DEFICITS = {
    "G81": "5", "G83.1": "4", "G83.2": "3", "R47.01": "20", "R47.1": "22", "R13.1": "91",
    "R29.810": "92", "R27.0": "93", "R48.2": "90",
}  # fmt: skip
"""How the code goes on; paralyses have a side after it."""
_KEPT = "R13.1"
"""The kind of dysphagia is coded beside it."""
_REMAINING = re.compile(
    r"\b(?:sequelae?|late effects?|residuals?|residua|deficits?|remaining|persistent|left with)\b",
    re.IGNORECASE,
)
_GUIDELINE = official("I.C.9.d.1")


def with_sequelae(mentions: Sequence[Mention], texts: Sequence[str]) -> list[Mention]:
    """The mentions of a chart, deficits after a stroke of the past with the code for both.

    They are taken for its sequelae where both stand in one sentence that says so, or in which the
    stroke is of the past.
    """
    present = [one for one in mentions if one.assertion not in ABSENT]
    strokes = [one for one in present if one.code.startswith(tuple(_STROKES))]
    deficits = [one for one in present if one.code.startswith(tuple(_DEFICITS))]
    if not (strokes and deficits):
        return list(mentions)
    edges = {number: sentence_edges(texts[number]) for number in {one.note for one in strokes}}
    made: dict[Mention, Mention] = {}
    past: list[Mention] = []
    for deficit in deficits:
        for stroke in strokes:
            if stroke.note != deficit.note:
                continue
            own = edges[stroke.note]
            at = bisect_right(own, stroke.begin)
            if at != bisect_right(own, deficit.begin):
                continue
            sentence = texts[stroke.note][own[at - 1] : own[at]]
            if stroke.code in _PAST or _REMAINING.search(sentence):
                made[deficit] = _of_both(deficit, stroke)
                past.append(stroke)
                break
    if not made:
        return list(mentions)
    found = []
    for one in mentions:
        if one in made:
            found.append(made[one])
        # The stroke itself is of the past, and has left something.
        is_past = one in past or one.code in _PAST
        if not is_past and (one not in made or one.code.startswith(_KEPT)):
            found.append(one)
    return found


def _of_both(deficit: Mention, stroke: Mention) -> Mention:
    begins = next(code for name, code in _STROKES.items() if stroke.code.startswith(name))
    name, rest = next((n, r) for n, r in _DEFICITS.items() if deficit.code.startswith(n))
    if name.startswith("G"):
        rest += deficit.code[-1] if deficit.code[-1] in "1234" else "9"
    code = f"{begins}{rest}"
    return replace(
        deficit,
        code=code,
        why=f"{deficit.why}, after {stroke.code} → {code}",
        rules=(*deficit.rules, _GUIDELINE),
    )
