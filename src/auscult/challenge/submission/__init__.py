"""Submissions: read as XML, CSV or JSON, and checked with every problem listed at once."""

from auscult.challenge.submission.check import CheckedSubmission, check
from auscult.challenge.submission.expected import Expected
from auscult.challenge.submission.problem import ProblemKind, SubmissionProblem
from auscult.challenge.submission.read import read, read_file
from auscult.challenge.submission.read_corpus import digest_path, open_corpus, read_path
from auscult.challenge.submission.submission import Submission, SubmittedCode, SubmittedDocument

__all__ = [
    "CheckedSubmission",
    "Expected",
    "ProblemKind",
    "Submission",
    "SubmissionProblem",
    "SubmittedCode",
    "SubmittedDocument",
    "check",
    "digest_path",
    "open_corpus",
    "read",
    "read_file",
    "read_path",
]
