"""The `auscult` command and where its parts are."""

from __future__ import annotations

import click

from auscult.cli.lazy import ChapterGroup
from auscult.core.version import __version__


@click.group(
    cls=ChapterGroup,
    chapters={
        "corpus": {
            "synth": ("auscult.cli.synth:synth", "Make a synthetic hospital."),
            "corpus": (
                "auscult.cli.corpus:corpus",
                "Import, check, split, show and export corpora.",
            ),
            "task": ("auscult.cli.task:task", "Make a corpus of outcomes, such as readmission."),
            "deid": ("auscult.cli.deid:deid", "Find, review and replace what identifies people."),
        },
        "codes": {
            "codes": ("auscult.cli.codes:codes", "Look up, search and map codes."),
            "vocab": ("auscult.cli.vocab:vocab", "Build vocabularies, suggest and find concepts."),
        },
        "coders": {
            "train": ("auscult.cli.train:train", "Learn a coder from a corpus."),
            "predict": (
                "auscult.cli.predict:predict",
                "Code notes, with the evidence for each code.",
            ),
            "external": (
                "auscult.cli.external:external",
                "Read what another system found in notes.",
            ),
        },
        "trust": {
            "evaluate": (
                "auscult.cli.evaluate:evaluate",
                "Measure a coder's codes and evidence against gold.",
            ),
            "audit": ("auscult.cli.audit:audit", "Say which words a coder listens to."),
            "report": ("auscult.cli.report:report", "Show a coder at work on a corpus, as a page."),
        },
        "people": {
            "agree": ("auscult.cli.agree:agree", "Say how far annotators agree."),
            "majority": (
                "auscult.cli.majority:majority",
                "Take the codes that most annotators gave.",
            ),
            "adjudicate": (
                "auscult.cli.adjudicate:adjudicate",
                "Settle what annotators disagree on.",
            ),
            "challenge": (
                "auscult.cli.challenge:challenge",
                "Run a shared task: release, submissions, ranking.",
            ),
            "serve": ("auscult.cli.serve:serve", "Code charts in a browser, alone or as a team."),
            "team": ("auscult.cli.team:team", "Invite people to a workbench; see who read what."),
        },
        "texts": {
            "write": (
                "auscult.cli.write:write",
                "Write texts from records; say if they are any good.",
            ),
        },
        "all of it": {
            "reproduce": (
                "auscult.cli.reproduce:reproduce",
                "Make the papers' tables again, beside the published.",
            ),
            "demo": (
                "auscult.cli.demo:demo",
                "See all of Auscult at work on the synthetic hospital.",
            ),
        },
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="auscult")
def auscult() -> None:
    """Code clinical text with the evidence for each code, and know how far to trust the codes.

    Example: auscult demo demo (and of each command, under --help)
    """
