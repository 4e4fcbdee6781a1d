"""The secret seed of a de-identification: from a file, the environment or the command line."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from auscult.core import OptionError
from auscult.core.files import read_text

SEED = "AUSCULT_DEID_SEED"
"""The environment variable with the seed."""


def seed_of(written: str | None, file: Path | None) -> str | None:
    """The seed, with a warning if others could see or guess it; None without one."""
    from auscult.deid.options import SHORT_SEED

    if written is not None and file is not None:
        raise OptionError("Pass either --secret-seed or --seed-file, not both.")
    seed = os.environ.get(SEED) or None
    if file is not None:
        if not file.exists():
            raise OptionError(f"{file} does not exist.")
        seed = read_text(file).strip()
        if not seed:
            raise OptionError(
                f"{file} is empty. Create a seed, for example with: openssl rand -hex 32"
            )
    if written is not None:
        seed = written
        warnings.warn(
            "Other users of this machine can see a seed on the command line. Use --seed-file, or "
            f"the environment variable {SEED}.",
            stacklevel=2,
        )
    if seed is not None and len(seed) < SHORT_SEED:
        warnings.warn(
            f"The seed has fewer than {SHORT_SEED} characters. Whoever guesses it can reverse the "
            "date shifts. Create one with: openssl rand -hex 32",
            stacklevel=2,
        )
    return seed
