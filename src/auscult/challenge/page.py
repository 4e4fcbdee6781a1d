"""What the page of a challenge shows beside the ranking of codes."""

from __future__ import annotations

from auscult.challenge.challenge import Challenge
from auscult.challenge.evidence_track import evidence_leaderboard
from auscult.challenge.ledger import team_key
from auscult.challenge.settings import Track
from auscult.corpus.history import funnel
from auscult.report.challenge_extras import ChallengeExtras


def also_on_page(challenge: Challenge, *, times: int = 1000, seed: int = 0) -> ChallengeExtras:
    """The evidence track if anybody is in it, descriptions, and the funnel."""
    state = challenge.state()
    evidence = None
    if Track.EVIDENCE in challenge.settings.tracks and (
        challenge.settings.humans or challenge.ledger_of(Track.EVIDENCE).accepted()
    ):
        evidence = evidence_leaderboard(challenge, times=times, seed=seed)
    ledgers = [challenge.ledger_of(track) for track in challenge.settings.tracks]
    ranked = [team for ledger in ledgers for team in ledger.accepted()]
    missing = {team_key(team): team for team in ranked if team_key(team) not in state.descriptions}
    return ChallengeExtras(
        evidence,
        [(one.team, one.text) for _, one in sorted(state.descriptions.items())],
        sorted(missing.values()),
        funnel(challenge.corpus),
    )
