"""A share of documents that are in several strata at once, such as each of their codes.

Iterative stratification: the rarest stratum is sampled first, so that its few documents are not
used up by frequent strata that they also belong to. Sechidis, Tsoumakas and Vlahavas 2011, "On the
stratification of multi-label data".
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence

from auscult.core.randomness import shuffled


def stratified_share(
    names: Sequence[str],
    strata: Mapping[str, Sequence[Hashable]],
    share: float,
    dice: random.Random,
) -> list[str]:
    """The names that make up a share of all, and about that share of each stratum.

    Names without a stratum fill up the share. The same dice give the same share.

    >>> codes = {str(n): ["fever"] * (n % 2) + ["cough"] * (n < 10) for n in range(20)}
    >>> kept = stratified_share(sorted(codes), codes, 0.5, random.Random(1))
    >>> [sum(code in codes[name] for name in kept) for code in ("fever", "cough")], len(kept)
    ([5, 5], 10)
    """
    members: dict[Hashable, dict[str, None]] = {}
    mixed = shuffled(names, dice)
    for name in mixed:
        for stratum in dict.fromkeys(strata[name]):
            members.setdefault(stratum, {})[name] = None
    order = {stratum: at for at, stratum in enumerate(members)}
    # How many more of each stratum are wanted, in the share and in what is left out.
    wanted = {s: [share * len(held), (1 - share) * len(held)] for s, held in members.items()}
    total = [share * len(names), (1 - share) * len(names)]
    kept: list[str] = []
    open_strata = set(members)
    while open_strata:
        rarest = min(open_strata, key=lambda s: (len(members[s]), order[s]))
        open_strata.remove(rarest)
        for name in list(members[rarest]):
            lack = wanted[rarest]
            side = _larger(lack) if abs(lack[0] - lack[1]) > 1e-9 else _larger(total)
            total[side] -= 1
            for stratum in dict.fromkeys(strata[name]):
                wanted[stratum][side] -= 1
                members[stratum].pop(name, None)
            if side == 0:
                kept.append(name)
    rest = [name for name in mixed if not strata[name]]
    return sorted([*kept, *rest[: max(0, round(share * len(names)) - len(kept))]])


def _larger(pair: Sequence[float]) -> int:
    return 0 if pair[0] >= pair[1] else 1
