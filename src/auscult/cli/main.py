"""The `auscult` command."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from auscult.cli.lazy import LazyGroup
from auscult.core import AuscultError
from auscult.core.version import __version__


@click.group(
    cls=LazyGroup,
    commands_at={
        "synth": ("auscult.cli.synth:synth", "Make a synthetic hospital."),
        "corpus": ("auscult.cli.corpus:corpus", "Import, check, split, show and export corpora."),
        "codes": ("auscult.cli.codes:codes", "Look up, search and map codes."),
        "vocab": ("auscult.cli.vocab:vocab", "Build vocabularies, suggest and find concepts."),
        "demo": ("auscult.cli.demo:demo", "See all of Auscult at work on the synthetic hospital."),
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="auscult")
def auscult() -> None:
    """Code clinical text with the evidence for each code, and know how far to trust the codes.

    \b
    Example:
      auscult synth hospital hospital --patients 100
      auscult corpus import mimic3 hospital/mimic3 notes
      auscult corpus doctor notes
    """


def main() -> None:
    """Run the command: a user's mistake ends with one sentence and exit code 2."""
    try:
        auscult(standalone_mode=True)
    except AuscultError as error:
        _stop(str(error))
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _stop(f"{error.filename or 'a file'}: {error.strerror or error}.")
    except Exception as error:
        # Polars reports a damaged file when it comes to the damage, and may quote what it read.
        if type(error).__module__ != "polars.exceptions" or "AUSCULT_DEBUG" in os.environ:
            raise
        _stop(
            f"A table could not be read ({type(error).__name__}): it is damaged, or this is a "
            "defect. Check the corpus with: auscult corpus info CORPUS --verify. AUSCULT_DEBUG=1 "
            "shows the details, which may quote notes."
        )


def _stop(message: str) -> NoReturn:
    click.echo(f"auscult: {message}", err=True)
    sys.exit(2)
