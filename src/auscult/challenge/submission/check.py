"""Checking a submission against the test documents and the label set, problem by problem."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from auscult.challenge.submission.known_codes import KnownCodes
from auscult.challenge.submission.problem import ProblemKind, SubmissionProblem
from auscult.challenge.submission.submission import UNNAMED, Submission
from auscult.core import Annotation, Code
from auscult.core.names import shown


@dataclass(frozen=True, slots=True)
class CheckedSubmission:
    """The predicted codes of a submission, and all its problems.

    A document that comes twice has the codes of both; a code that comes twice counts once.
    """

    answers: dict[str, frozenset[Code]] = field(repr=False)
    problems: tuple[SubmissionProblem, ...]
    charts: int
    """Test documents that the submission contains."""
    codes: int
    """Distinct codes predicted for them."""
    evidence: tuple[Annotation, ...] = field(default=(), repr=False)
    """In a track of evidence: the codes with their spans."""

    @property
    def is_valid(self) -> bool:
        """Whether a challenge accepts it."""
        return not any(problem.is_error for problem in self.problems)

    @property
    def is_readable(self) -> bool:
        """Whether it can be scored."""
        return not any(problem.kind.is_format for problem in self.problems)


def check(
    submission: Submission,
    charts: Collection[str],
    codes: Collection[Code],
    *,
    is_closed: bool = True,
) -> CheckedSubmission:
    """Compare a submission with the documents and codes there are.

    Codes are found by their value, however the submission calls their code system, as long as no
    two systems of the label set share it. A code outside the label set is kept: it is wrong, and
    whoever scores counts it so. Unless `is_closed`, `codes` are no label set but those that gold
    happens to have.
    """
    known = KnownCodes(codes)
    wanted = set(charts)
    problems = list(submission.problems)
    first: dict[str, int | None] = {}
    answers: dict[str, set[Code]] = {}
    origins: dict[str, int | None] = {}
    called: dict[tuple[str, str], list[int | None]] = {}
    for document in submission.documents:
        name = shown(document.chart_id)
        if document.chart_id in first:
            says = f"duplicate document {name}: it is already on line {first[document.chart_id]}"
            problems.append(SubmissionProblem(ProblemKind.TWICE, says, document.row))
        elif document.chart_id not in wanted:
            says = f"document {name} is not in the test set; ignored"
            problems.append(SubmissionProblem(ProblemKind.UNKNOWN, says, document.row))
        first.setdefault(document.chart_id, document.row)
        seen: set[tuple[object, ...]] = set()
        codes_here = answers.setdefault(document.chart_id, set())
        for given in document.codes:
            if given.origin is not None:
                origins.setdefault(given.origin, given.row)
            code = known.code(given)
            one = (code, given.note, given.spans)
            if one in seen:
                says = f"code {shown(given.value)} is repeated; counted once"
                problems.append(SubmissionProblem(ProblemKind.REPEATED, says, given.row))
            elif code not in known.codes:
                kind = ProblemKind.OUTSIDE if is_closed else ProblemKind.NEVER
                problems.append(SubmissionProblem(kind, known.outside(given, is_closed), given.row))
            elif given.system is not None and not _is_called(given.system, code.system):
                called.setdefault((given.system, code.system), []).append(given.row)
            seen.add(one)
            codes_here.add(code)
    for (name, system), rows in called.items():
        says = f"{len(rows):,} codes of {system} are labeled {shown(name)}; counted as {system}"
        problems.append(SubmissionProblem(ProblemKind.SYSTEM, says, rows[0]))
    if len(origins) > 1:
        listed = ", ".join(shown(origin) for origin in list(origins)[:5])
        says = f"codes of {len(origins)} origins ({listed}); a submission must come from one system"
        problems.append(SubmissionProblem(ProblemKind.ORIGINS, says, list(origins.values())[1]))
    answered = wanted & answers.keys()
    if answered:
        problems += [
            SubmissionProblem(
                ProblemKind.MISSING,
                f"document {shown(c)} is missing; all its codes count as missed",
            )
            for c in charts
            if c not in answered
        ]
    elif not any(problem.kind.is_format for problem in problems):
        says = f"none of its {len(answers):,} documents is among the {len(wanted):,} test documents"
        problems.append(SubmissionProblem(ProblemKind.NOTHING, says))
    kept = {chart_id: frozenset(answers[chart_id]) for chart_id in charts if chart_id in answered}
    ordered = sorted(problems, key=lambda p: (p.row is None, p.row or 0))
    return CheckedSubmission(kept, tuple(ordered), len(answered), sum(map(len, kept.values())))


def _is_called(name: str, system: str) -> bool:
    """Whether a name is one for a code system, as icd9 is for ICD-9-CM."""
    if system == UNNAMED:
        return True
    bare, right = ("".join(filter(str.isalnum, one)).lower() for one in (name, system))
    return bool(bare) and right.startswith(bare)
