"""Shared tasks (challenges): release, submission, scoring and leaderboard."""

from auscult.challenge.challenge import Challenge, create
from auscult.challenge.leaderboard import leaderboard
from auscult.challenge.release import release
from auscult.challenge.scoring import score_answers, score_files
from auscult.challenge.submitting import submit

__all__ = [
    "Challenge",
    "create",
    "leaderboard",
    "release",
    "score_answers",
    "score_files",
    "submit",
]
