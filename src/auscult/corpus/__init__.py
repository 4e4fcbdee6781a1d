"""Corpora: notes with annotations and records, and the formats they come in."""

from auscult.corpus.corpus import Chart, Corpus
from auscult.corpus.manifest import Manifest

__all__ = ["Chart", "Corpus", "Manifest"]
