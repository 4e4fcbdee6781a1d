"""The `auscult` command and its subcommands."""

from __future__ import annotations

import click

from auscult.cli.lazy import ChapterGroup
from auscult.core.version import __version__


@click.group(
    cls=ChapterGroup,
    chapters={
        "corpus": {
            "synth": ("auscult.cli.synth:synth", "Generate a synthetic hospital (synthetic data)."),
            "corpus": (
                "auscult.cli.corpus:corpus",
                "Import, check, split, show and export corpora.",
            ),
            "task": ("auscult.cli.task:task", "Build an outcome task, such as readmission."),
            "deid": ("auscult.cli.deid:deid", "De-identify notes: find, review and replace PHI."),
        },
        "codes": {
            "codes": ("auscult.cli.codes:codes", "Look up, search and map codes."),
            "vocab": ("auscult.cli.vocab:vocab", "Build vocabularies; search and match concepts."),
        },
        "models": {
            "code": (
                "auscult.cli.code:code",
                "Code notes without training: codes, evidence, checks.",
            ),
            "train": ("auscult.cli.train:train", "Train a model."),
            "pretrain": (
                "auscult.cli.pretrain:pretrain",
                "Continue pretraining an encoder on your notes.",
            ),
            "predict": (
                "auscult.cli.predict:predict",
                "Run inference: codes with evidence, entities.",
            ),
            "external": (
                "auscult.cli.external:external",
                "Import annotations of cTAKES, MetaMap and others.",
            ),
        },
        "trust": {
            "evaluate": (
                "auscult.cli.evaluate:evaluate",
                "Evaluate codes, evidence and entities against gold.",
            ),
            "audit": (
                "auscult.cli.audit:audit",
                "Measure how sensitive a model is to single words.",
            ),
            "report": (
                "auscult.cli.report:report",
                "Write an HTML report on a model's predictions.",
            ),
            "curve": (
                "auscult.cli.curve:curve",
                "Write the learning curve of a workbench project.",
            ),
        },
        "people": {
            "agree": ("auscult.cli.agree:agree", "Measure inter-annotator agreement."),
            "majority": (
                "auscult.cli.majority:majority",
                "Take the majority vote of annotators.",
            ),
            "adjudicate": (
                "auscult.cli.adjudicate:adjudicate",
                "Adjudicate disagreements into a gold standard.",
            ),
            "challenge": (
                "auscult.cli.challenge:challenge",
                "Run a shared task: release, submissions, leaderboard.",
            ),
            "serve": ("auscult.cli.serve:serve", "Start the annotation workbench in a browser."),
            "team": (
                "auscult.cli.team:team",
                "Manage accounts of a workbench; read its audit log.",
            ),
        },
        "texts": {
            "generate": (
                "auscult.cli.generate:generate",
                "Generate synthetic text from records; evaluate it.",
            ),
        },
        "all of it": {
            "reproduce": (
                "auscult.cli.reproduce:reproduce",
                "Reproduce the tables and figures of the papers.",
            ),
            "demo": (
                "auscult.cli.demo:demo",
                "Run every part of Auscult on synthetic data.",
            ),
        },
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="auscult")
def auscult() -> None:
    """\b
    Medical coding and clinical entity annotation, with evidence for every code.
    Example: auscult demo demo (each command has examples under --help)
    """
