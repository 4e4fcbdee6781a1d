"""`auscult synth`: data of our own making."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.lazy import StoryGroup
from auscult.cli.output import command, table


@click.group(
    cls=StoryGroup,
    story={
        "hospital": "Write a synthetic hospital; no patient is real.",
    },
)
def synth() -> None:
    """Make a synthetic hospital.

    \b
    Example:
      auscult synth hospital hospital --patients 1000 --seed 7
    """


@synth.command("hospital")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--patients",
    type=click.IntRange(1, 1_000_000),
    default=200,
    show_default=True,
    help="How many.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed, the same bytes."
)
@click.option(
    "--evidence",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="Share of patients whose charts have evidence for their codes.",
)
@click.option(
    "--billing-noise",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="How far bills stray from what the notes say; 1 is as far as MIMIC-III's.",
)
@click.option(
    "--readmission-effect",
    type=click.FloatRange(0, 10),
    default=1.0,
    show_default=True,
    help="How much conditions decide about readmission; above 1, chance decides less.",
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
    """Write a synthetic hospital to the folder OUT: no real patient is in it.

    MIMIC-III tables, MDACE evidence files, three coders who disagree, concepts with a vocabulary,
    emergency records, clinicians' ratings, and a copy of the notes with planted names and dates.

    \b
    Example:
      auscult synth hospital hospital --patients 1000 --seed 7
      auscult corpus import mimic3 hospital/mimic3 notes
    """
    from dataclasses import asdict

    from auscult.core import OptionError
    from auscult.synth.hospital import make

    if out.exists() and (out.is_file() or any(out.iterdir())):
        raise OptionError(f"{out} exists already. Choose another name.")
    summary = asdict(
        make(
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
