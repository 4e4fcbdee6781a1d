"""Which split teaches, which one judges, and who is held out where there is none to judge."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from auscult.core import AuscultError, OptionError
from auscult.core.dice import shuffled
from auscult.core.names import require_known

TRAIN = "train"
NONE = "none"
_DEV = ("dev", "val", "validation", "devel", "development")
_HELD_OUT = 0.1


def judging_split(there: Sequence[str], train: str, dev: str | None, *, of: str) -> str:
    """The split that judges what was learnt; "none" when there is none, or when it is asked for.

    `there` are the splits of the corpus, without which none can be named; `of` says what they
    are of, such as "charts".
    """
    if not there:
        if train != TRAIN or dev not in (None, NONE):
            raise OptionError(
                "The corpus has no splits, so none can be named. Make some (auscult corpus split), "
                f"or leave the options off to learn from all {of}."
            )
        return NONE
    require_known(train, there, "split")
    if dev is None:
        return next((name for name in _DEV if name in there and name != train), NONE)
    if dev == train:
        raise OptionError(f"The split {dev} cannot both teach and judge. Name another, or none.")
    if dev != NONE:
        require_known(dev, there, "split")
    return dev


def held_out_patients(patients: Iterable[str], seed: int, *, of: str) -> set[str]:
    """A tenth of the patients, to judge by where no split is there for it."""
    order = shuffled(sorted(set(patients)), random.Random(seed))
    if len(order) < 2:
        raise AuscultError(
            "There is no dev split and only one patient to learn from, so nothing is left to judge "
            f"by. Add {of}, or a dev split (auscult corpus split)."
        )
    return set(order[: max(1, round(_HELD_OUT * len(order)))])
