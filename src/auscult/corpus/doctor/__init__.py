"""The corpus doctor: problems of a corpus, their severity, and what to do about them."""

from __future__ import annotations

from auscult.corpus.corpus import Corpus
from auscult.corpus.doctor.coding import check_coding
from auscult.corpus.doctor.finding import Finding, Severity
from auscult.corpus.doctor.guidelines import check_guidelines
from auscult.corpus.doctor.tables import check_tables
from auscult.corpus.doctor.texts import check_texts

__all__ = ["Finding", "Severity", "check_coding", "examine"]


def examine(
    corpus: Corpus,
    *,
    show_text: bool = False,
    examples: int = 1,
    concepts: bool = False,
    coding: bool = False,
) -> list[Finding]:
    """All findings, the most severe first, each with example locations.

    `concepts` also checks the guidelines for marking all concepts of a note, `coding` the codes of
    each chart against the Tabular List and the coding guidelines.

    >>> from auscult.core import Note
    >>> [(f.check, f.count) for f in examine(Corpus.of([Note("n", "c", text=" ")]))]
    [('no-text', 1)]
    """
    found = [
        *check_tables(corpus, examples=examples),
        *check_texts(corpus, show_text=show_text, examples=examples),
    ]
    if concepts:
        found += check_guidelines(corpus, show_text=show_text, examples=examples)
    if coding:
        found += check_coding(corpus, examples=examples)
    return sorted(found, key=lambda finding: finding.severity.rank)
