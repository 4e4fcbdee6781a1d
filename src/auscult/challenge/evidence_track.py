"""The track of evidence: the text that supports each code, ranked by the metrics of evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import ChallengeError
from auscult.challenge.ledger import LedgerEntry
from auscult.challenge.settings import RankedSubmission, Track
from auscult.challenge.submission import read
from auscult.challenge.submission.expected import ANNOTATOR
from auscult.core import Annotation, Metric
from auscult.core.progress import track as progress
from auscult.corpus import Corpus, schema
from auscult.evaluate.evidence import EvidenceResult, evidence_metrics
from auscult.evaluate.evidence_ranking import EvidenceRanking, chosen_metrics, rank_evidence
from auscult.evaluate.sides import Sides


@dataclass(frozen=True, slots=True)
class EvidenceScore:
    """The metrics of some evidence, as a team is told them."""

    result: EvidenceResult = field(repr=False)

    @property
    def chosen(self) -> dict[str, Metric]:
        """Those that the ranking shows."""
        return chosen_metrics(self.result)

    def values(self) -> dict[str, object]:
        """Their values."""
        return {name: metric.value for name, metric in self.chosen.items()}


def score_evidence(challenge: Challenge, evidence: Iterable[Annotation]) -> EvidenceScore:
    """The metrics of a submission's evidence."""
    return EvidenceScore(evidence_metrics(_submitted(challenge, evidence), times=0))


def evidence_leaderboard(
    challenge: Challenge, *, times: int = 1000, seed: int = 0
) -> EvidenceRanking:
    """The ranking of all teams with an accepted submission of evidence."""
    settings, ledger = challenge.settings, challenge.ledger_of(Track.EVIDENCE)
    expected = challenge.expected(Track.EVIDENCE)
    by_team = ledger.accepted()
    if not by_team and not settings.humans:
        raise ChallengeError(
            f"{challenge.path} has no accepted submission of evidence yet. Submit one with: "
            f"auscult challenge submit {challenge.path} TEAM FILE --track evidence"
        )

    def sides(entry: LedgerEntry) -> Sides:
        submission = read(ledger.content(entry.number), entry.file, by_schema=False)
        return _submitted(challenge, expected.validate(submission, incomplete=True).evidence)

    systems: dict[str, Sides] = {}
    for team, entries in progress(by_team.items(), "reading submissions", len(by_team)):
        if settings.counting is RankedSubmission.LAST:
            systems[team] = sides(entries[-1])
        else:
            systems[team] = max(map(sides, entries), key=_token_f1)
    test = _test(challenge)
    humans = {name: _sides(challenge, test.select(annotators=[name])) for name in settings.humans}
    return rank_evidence(systems, humans, times=times, seed=seed)


def _token_f1(sides: Sides) -> float:
    return evidence_metrics(sides, times=0).metrics["token"].f1.value or 0.0


def _test(challenge: Challenge) -> Corpus:
    return challenge.corpus.select(splits=[challenge.settings.test])


def _submitted(challenge: Challenge, evidence: Iterable[Annotation]) -> Sides:
    table = schema.annotations_table(evidence).lazy()
    return _sides(challenge, replace(_test(challenge), lazy_all_annotations=table, path=None))


def _sides(challenge: Challenge, predicted: Corpus) -> Sides:
    test = _test(challenge)
    gold = test.select(annotators=[challenge.settings.gold])
    return Sides(gold, predicted, tuple(challenge.gold()), challenge.settings.gold, ANNOTATOR)
