"""The leaderboard: the ranked submission of each team, with people among them."""

from __future__ import annotations

from collections.abc import Mapping

from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import ChallengeError
from auscult.challenge.ledger import LedgerEntry
from auscult.challenge.settings import RankedSubmission
from auscult.challenge.submission import check, read
from auscult.core import Code
from auscult.core.counts import Counts
from auscult.core.progress import track
from auscult.evaluate.system_ranking import SystemRanking, rank_systems

Codes = Mapping[str, frozenset[Code]]


def leaderboard(challenge: Challenge, *, times: int = 1000, seed: int = 0) -> SystemRanking:
    """The ranking of all teams that have an accepted submission."""
    systems = ranked_submissions(challenge)
    if not systems and not challenge.settings.humans:
        raise ChallengeError(
            f"{challenge.path} has no accepted submission yet. Submit one with: auscult "
            f"challenge submit {challenge.path} TEAM FILE"
        )
    return rank_systems(
        challenge.gold(),
        systems,
        challenge.humans(),
        label_set=challenge.settings.label_set,
        costs=challenge.settings.costs,
        times=times,
        seed=seed,
    )


def ranked_submissions(challenge: Challenge) -> dict[str, Codes]:
    """The submission of each team that counts, the last or the best, as answers by team."""
    settings, ledger = challenge.settings, challenge.ledger
    gold = challenge.gold()
    by_team = ledger.accepted()

    def answers(entry: LedgerEntry) -> dict[str, frozenset[Code]]:
        submission = read(ledger.content(entry.number), entry.file, by_schema=False)
        return check(submission, gold, settings.label_set).answers

    chosen: dict[str, Codes] = {}
    for team, entries in track(by_team.items(), "reading submissions", len(by_team)):
        if settings.counting is RankedSubmission.LAST:
            chosen[team] = answers(entries[-1])
        else:
            tried = [answers(entry) for entry in entries]
            chosen[team] = max(tried, key=lambda given: micro_f1(gold, given))
    return chosen


def micro_f1(gold: Codes, given: Codes) -> float:
    """Micro-F1 of answers, without all that else belongs to a score; 0 where there is none."""
    total = Counts()
    for chart_id, codes in gold.items():
        total += Counts.of(codes, given.get(chart_id, frozenset()))
    return total.f1 or 0.0
