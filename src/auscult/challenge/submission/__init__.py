"""Submissions: read as XML, CSV or JSON, and checked with every problem listed at once."""

from auscult.challenge.submission.check import Checked, check
from auscult.challenge.submission.problem import Kind, Problem
from auscult.challenge.submission.read import read, read_file
from auscult.challenge.submission.read_corpus import open_corpus, read_path
from auscult.challenge.submission.said import Given, Said, Submission

__all__ = [
    "Checked",
    "Given",
    "Kind",
    "Problem",
    "Said",
    "Submission",
    "check",
    "open_corpus",
    "read",
    "read_file",
    "read_path",
]
