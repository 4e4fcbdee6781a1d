"""Entities, section 3.2: the training data of the task, which a few concepts dominate."""

from __future__ import annotations

from collections import Counter

from auscult.codes import is_cui_less
from auscult.corpus import formats
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    UsedData,
)
from auscult.reproduce.entities.concepts import TASK_STAND_IN, task
from auscult.reproduce.work import Workspace

_ROW = "Training data"
_TOP = 100
_SHARE = f"share of the {_TOP} most common CUIs, %"


def run(work: Workspace) -> ReproductionOutcome:
    """Count the annotations and the concepts of the training notes."""
    place = work.sources.get("mcn")
    if place is not None:
        mcn = work.used("MCN", Basis.REAL, "MCN as released for n2c2 2019 track 3", place)
        used: tuple[UsedData, ...] = (mcn,)
        train = formats.read("mcn", place).select(splits=["train"])
    else:
        given = task(work)
        train, used = given.train, given.used
    basis = used[0].basis
    codes = [one.code for one in train.iter_annotations()]
    uses = Counter(code for code in codes if not is_cui_less(code.value))
    share = 100 * sum(count for _, count in uses.most_common(_TOP)) / len(codes)
    numbers = {
        f"{_ROW} · annotations": Measured.counted(len(codes), basis),
        f"{_ROW} · unique CUIs": Measured.counted(len(uses), basis),
        f"{_ROW} · {_SHARE}": Measured.counted(share, basis, n=len(codes)),
    }
    return ReproductionOutcome(numbers, used)


REPRODUCTION = Reproduction(
    name="entities-section-3-2",
    paper="entities",
    label="Section 3.2",
    title="The training data, which a few concepts dominate",
    needs="MCN, the corpus of n2c2 2019 track 3 (credentialed)",
    stand_in=TASK_STAND_IN,
    options=("mcn", "ncbi"),
    calls=("auscult corpus import mcn MCN concepts", "auscult corpus info concepts --json"),
    run=run,
    published=(
        Printed(_ROW, "annotations", 6_684, 0.0, ",.0f"),
        Printed(_ROW, "unique CUIs", 2_331, 1.0, ",.0f"),
        Printed(_ROW, _SHARE, 31.5, 0.051, ".1f"),
    ),
    remark="The paper does not say whether CUI-less is one of the unique CUIs, so the tolerance "
    "is one.",
)
