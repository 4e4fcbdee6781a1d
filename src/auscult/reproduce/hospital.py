"""The synthetic hospital that stands in for MIMIC-III, MDACE and all else that is not open."""

from __future__ import annotations

from pathlib import Path

from auscult.reproduce.contract import Basis, Used
from auscult.reproduce.work import Work
from auscult.synth import hospital as synth

SEED = 0
_SETTINGS = {"billing_noise": 1.0, "readmission_effect": 4.0}
"""Bills as far from the notes as MIMIC's are; readmissions that few patients are enough for."""


def hospital(work: Work) -> Path:
    """The hospital's folder, made once."""
    return made(work, work.scale.patients, SEED)


def made(work: Work, patients: int, seed: int) -> Path:
    """A hospital of some size and seed."""
    about = {"patients": patients, "seed": seed, **_SETTINGS}
    return work.kept(
        "hospital", about, lambda out: synth.make(out, patients=patients, seed=seed, **_SETTINGS)
    )


def used(work: Work, *parts: str) -> Used:
    """The hospital, or parts of its folder, as a result names them."""
    folder = hospital(work)
    said = f"a synthetic hospital of {work.scale.patients:,} patients (seed {SEED})"
    if parts:
        said = f"{', '.join(parts)} of {said}"
    paths = [folder / part for part in parts] or [folder]
    return work.used("synthetic hospital", Basis.STAND_IN, said, *paths)
