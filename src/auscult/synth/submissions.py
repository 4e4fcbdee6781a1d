"""Answers of made-up systems: gold codes, some of them missed, and others added by chance."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from auscult.core import Code


def noisy_answers(
    gold: Mapping[str, frozenset[Code]],
    labels: Sequence[Code],
    dice: random.Random,
    *,
    missed: float,
    added: float,
) -> dict[str, set[Code]]:
    """Codes for each document: each gold code is missed with a probability, some are added.

    `added` is the mean number of codes added to a document. Only `labels` are given.
    """
    made = {}
    for document, right in gold.items():
        given = {code for code in sorted(right & set(labels)) if dice.random() >= missed}
        given.update(dice.choices(labels, k=round(dice.uniform(0, 2 * added))))
        made[document] = given
    return made
