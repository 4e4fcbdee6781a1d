"""The training split, the dev split, and the patients held out where there is no dev split."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from auscult.core import AuscultError, OptionError
from auscult.core.names import require_known
from auscult.core.randomness import shuffled

TRAIN = "train"
NONE = "none"
_DEV = ("dev", "val", "validation", "devel", "development")
_HELD_OUT = 0.1


def require_one_split(split: str, name: str = "split") -> str:
    """The split, if it is one name: a list could be meant as several splits or as chart ids."""
    if not isinstance(split, str):
        raise OptionError(
            f"{name} must be the name of one split, not a {type(split).__name__}. To use "
            "several splits or single charts, select them first: corpus.select(splits=[…]) or "
            "corpus.select(charts=[…])."
        )
    return split


def dev_split(there: Sequence[str], train: str, dev: str | None, *, of: str) -> str:
    """The name of the dev split; "none" if there is none or `dev` asks for none.

    `there` are the splits of the corpus; `of` tells what they are of, such as "charts".
    """
    require_one_split(train, "train")
    if dev is not None:
        require_one_split(dev, "dev")
    if not there:
        if train != TRAIN or dev not in (None, NONE):
            raise OptionError(
                "The corpus has no splits, so no split can be chosen. Split it first (auscult "
                f"corpus split), or leave the split options out to train on all {of}."
            )
        return NONE
    require_known(train, there, "split")
    if dev is None:
        return next((name for name in _DEV if name in there and name != train), NONE)
    if dev == train:
        raise OptionError(
            f"The split {dev} cannot be both the training split and the dev split. Choose "
            "another dev split, or none."
        )
    if dev != NONE:
        require_known(dev, there, "split")
    return dev


def held_out_patients(patients: Iterable[str], seed: int, *, of: str) -> set[str]:
    """A tenth of the patients, held out where there is no dev split."""
    order = shuffled(sorted(set(patients)), random.Random(seed))
    if len(order) < 2:
        raise AuscultError(
            "There is no dev split and only one training patient, so nothing can be held "
            f"out for early stopping. Add {of}, or a dev split (auscult corpus split)."
        )
    return set(order[: max(1, round(_HELD_OUT * len(order)))])
