"""`auscult synth`: synthetic data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.lazy import StoryGroup
from auscult.cli.options import patients, seed
from auscult.cli.output import command, table


@click.group(
    cls=StoryGroup,
    story={
        "hospital": "Generate a synthetic hospital; no patient is real.",
    },
)
def synth() -> None:
    """Generate synthetic data.

    \b
    Example:
      auscult synth hospital hospital --patients 1000 --seed 7
    """


@synth.command("hospital")
@click.argument("out", type=click.Path(path_type=Path))
@patients(200)
@seed
@click.option(
    "--evidence-fraction",
    "evidence",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="Fraction of patients whose codes have evidence spans.",
)
@click.option(
    "--billing-noise",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Noise of billing codes relative to the notes; 1 is like MIMIC-III.",
)
@click.option(
    "--readmission-effect",
    type=click.FloatRange(0, 10),
    default=1.0,
    show_default=True,
    help="Strength of the association between conditions and readmission.",
)
@command
def hospital(
    out: Path,
    patients: int,
    seed: int,
    evidence: float,
    billing_noise: float,
    readmission_effect: float,
) -> Any:
    """Generate a synthetic hospital in the folder OUT; no patient is real.

    MIMIC-III tables, MDACE evidence files, three coders who disagree, entity annotations with a
    vocabulary, emergency department records, clinicians' ratings, and a copy of the notes with
    planted names and dates. The same seed gives the same bytes.

    \b
    Example:
      auscult synth hospital hospital --patients 1000 --seed 7
      auscult corpus import mimic3 hospital/mimic3 notes
    """
    from dataclasses import asdict

    from auscult.core import OptionError
    from auscult.synth.hospital import make_hospital

    if out.exists() and (out.is_file() or any(out.iterdir())):
        raise OptionError(f"{out} exists already. Choose another name.")
    summary = asdict(
        make_hospital(
            out,
            patients,
            seed,
            evidence,
            billing_noise=billing_noise,
            readmission_effect=readmission_effect,
        )
    )

    def say() -> None:
        rows = [(key.replace("_", " "), n) for key, n in summary.items() if isinstance(n, int)]
        table(str(out), ["", ""], rows)

    return {"out": str(out), **summary}, say
