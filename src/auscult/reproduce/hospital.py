"""The synthetic hospital, a stand-in for MIMIC-III, MDACE and other restricted data."""

from __future__ import annotations

from pathlib import Path

from auscult.reproduce.commands import auscult
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.work import Workspace
from auscult.synth import hospital as synth

SEED = 0
_SETTINGS = {"billing_noise": 1.0, "readmission_effect": 4.0}
"""Billing as noisy as MIMIC's; enough readmissions with few patients."""


def hospital(work: Workspace) -> Path:
    """The hospital's folder, made once."""
    return made(work, work.scale.patients, SEED)


def made(work: Workspace, patients: int, seed: int) -> Path:
    """A hospital of some size and seed."""
    about = {"patients": patients, "seed": seed, **_SETTINGS}
    return work.kept(
        "hospital",
        about,
        lambda out: synth.make_hospital(out, patients=patients, seed=seed, **_SETTINGS),
    )


def command(patients: int, seed: int, out: str) -> str:
    """The command that makes such a hospital."""
    return auscult(
        "synth", "hospital", out, "--patients", patients, "--seed", seed,
        "--billing-noise", _SETTINGS["billing_noise"],
        "--readmission-effect", _SETTINGS["readmission_effect"],
    )  # fmt: skip


def to_make(work: Workspace) -> str:
    """The command that makes the hospital of a run in the folder `hospital`."""
    return command(work.scale.patients, SEED, "hospital")


def used(work: Workspace, *parts: str) -> UsedData:
    """The hospital, or parts of its folder, as a result names them."""
    folder = hospital(work)
    description = f"a synthetic hospital of {work.scale.patients:,} patients (seed {SEED})"
    if parts:
        description = f"{', '.join(parts)} of {description}"
    paths = [folder / part for part in parts] or [folder]
    return work.used("synthetic hospital", Basis.STAND_IN, description, *paths)
