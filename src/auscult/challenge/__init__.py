"""Shared tasks (challenges): calendar, release, submission, scoring and leaderboard."""

from auscult.challenge.challenge import Challenge, create
from auscult.challenge.checking import check_file
from auscult.challenge.evidence_track import evidence_leaderboard
from auscult.challenge.leaderboard import leaderboard
from auscult.challenge.organizing import change_calendar, publish
from auscult.challenge.release import release
from auscult.challenge.scoring import score_answers, score_files
from auscult.challenge.submitting import submit
from auscult.challenge.teams import describe_system, register

__all__ = [
    "Challenge",
    "change_calendar",
    "check_file",
    "create",
    "describe_system",
    "evidence_leaderboard",
    "leaderboard",
    "publish",
    "register",
    "release",
    "score_answers",
    "score_files",
    "submit",
]
