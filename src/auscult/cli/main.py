"""The `auscult` command and where its parts are."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup
from auscult.core.version import __version__


@click.group(
    cls=LazyGroup,
    commands_at={
        "synth": ("auscult.cli.synth:synth", "Make a synthetic hospital."),
        "corpus": ("auscult.cli.corpus:corpus", "Import, check, split, show and export corpora."),
        "deid": ("auscult.cli.deid:deid", "Find, review and replace what identifies people."),
        "codes": ("auscult.cli.codes:codes", "Look up, search and map codes."),
        "vocab": ("auscult.cli.vocab:vocab", "Build vocabularies, suggest and find concepts."),
        "external": ("auscult.cli.external:external", "Read what another system found in notes."),
        "train": ("auscult.cli.train:train", "Learn a coder from a corpus."),
        "predict": ("auscult.cli.predict:predict", "Code notes, with the evidence for each code."),
        "evaluate": (
            "auscult.cli.evaluate:evaluate",
            "Measure a coder's codes and evidence against gold.",
        ),
        "task": ("auscult.cli.task:task", "Make a corpus of outcomes, such as readmission."),
        "audit": (
            "auscult.cli.audit:audit",
            "Say whether a coder listens to the words a clinician would.",
        ),
        "agree": ("auscult.cli.agree:agree", "Say how far annotators agree."),
        "majority": ("auscult.cli.majority:majority", "Take the codes that most annotators gave."),
        "adjudicate": ("auscult.cli.adjudicate:adjudicate", "Settle what annotators disagree on."),
        "challenge": (
            "auscult.cli.challenge:challenge",
            "Run a shared task: release, submissions, ranking.",
        ),
        "serve": ("auscult.cli.serve:serve", "Code charts in a browser, alone or as a team."),
        "team": ("auscult.cli.team:team", "Invite people to a workbench; see who read what."),
        "write": ("auscult.cli.write:write", "Write texts from records; say if they are any good."),
        "report": ("auscult.cli.report:report", "Show a coder at work on a corpus, as a page."),
        "reproduce": (
            "auscult.cli.reproduce:reproduce",
            "Make the papers' tables again, published beside measured.",
        ),
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
