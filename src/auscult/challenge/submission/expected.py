"""What a submission has to be about: documents, codes and, for evidence, the notes.

Organizers have it in the challenge and teams in the release, so that both validate alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from auscult.challenge.submission.check import CheckedSubmission, check
from auscult.challenge.submission.known_codes import KnownCodes
from auscult.challenge.submission.problem import ProblemKind, SubmissionProblem
from auscult.challenge.submission.read_corpus import read_path
from auscult.challenge.submission.submission import Submission
from auscult.core import Annotation, Code, Note, Span
from auscult.core.names import shown
from auscult.corpus.combinations import Coded

ANNOTATOR = "system"
"""Who signs submitted evidence."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The test documents and the label set; `notes` only where evidence is asked for."""

    documents: tuple[str, ...] = field(repr=False)
    codes: tuple[Code, ...] = field(repr=False)
    document: Coded = "chart"
    notes: tuple[Note, ...] | None = field(default=None, repr=False)

    def read(self, path: Path, *, origin: str | None = None) -> tuple[bytes, str, Submission]:
        """A file or a corpus as submitted: its bytes, the name of the file, what it says."""
        return read_path(
            path, origin=origin, document=self.document, with_evidence=self.notes is not None
        )

    def validate(self, submission: Submission, *, incomplete: bool = False) -> CheckedSubmission:
        """Check a submission; `incomplete` confirms that documents are meant to be missing."""
        checked = check(submission, self.documents, self.codes)
        more: list[SubmissionProblem] = []
        missing = len(self.documents) - checked.charts
        if missing and checked.charts and not incomplete:
            says = (
                f"{missing:,} of the {len(self.documents):,} test documents are missing. Add "
                "them, including those without codes, or confirm that they are missing on purpose"
            )
            more.append(SubmissionProblem(ProblemKind.INCOMPLETE, says))
        elif checked.charts and not checked.codes and not incomplete and self.notes is None:
            says = "no document has a code. Add codes, or confirm that there are none on purpose"
            more.append(SubmissionProblem(ProblemKind.INCOMPLETE, says))
        evidence: list[Annotation] = []
        if self.notes is not None:
            for found in _evidence(submission, self, {note.note_id: note for note in self.notes}):
                if isinstance(found, Annotation):
                    evidence.append(found)
                else:
                    more.append(found)
            if checked.is_readable and not evidence and not any(one.is_error for one in more):
                says = "none of its codes has an evidence span in a test document"
                more.append(SubmissionProblem(ProblemKind.NOTHING, says))
        ordered = sorted((*more, *checked.problems), key=lambda p: (p.row is None, p.row or 0))
        return replace(checked, problems=tuple(ordered), evidence=tuple(evidence))


def _evidence(
    submission: Submission, expected: Expected, notes: Mapping[str, Note]
) -> Iterator[Annotation | SubmissionProblem]:
    """The codes with spans, and what is wrong with them."""
    known = KnownCodes(expected.codes)
    wanted = set(expected.documents)
    of_document: dict[str, list[str]] = {}
    for note in notes.values():
        of_document.setdefault(note.chart_id, []).append(note.note_id)
    for document in submission.documents:
        if document.chart_id not in wanted:
            continue
        there = of_document.get(document.chart_id, [])
        for given in document.codes:
            if not given.spans:
                says = f"code {shown(given.value)} has no evidence span and is not scored"
                yield SubmissionProblem(ProblemKind.NO_SPAN, says, given.row)
                continue
            name = given.note if given.note is not None or len(there) != 1 else there[0]
            if name not in there:
                which = "no note" if name is None else f"note {shown(name)}"
                says = f"the span names {which}; the document has {_listed(there)}"
                yield SubmissionProblem(ProblemKind.SPAN, says, given.row)
                continue
            length = len(notes[name].text or "")
            wrong = [(b, e) for b, e in given.spans if not 0 <= b < e <= length]
            for begin, end in wrong:
                says = (
                    f"the span {begin} to {end} is not in the {length:,} characters of note "
                    f"{shown(name)}; offsets count Unicode code points from 0, and the end is "
                    "exclusive"
                )
                yield SubmissionProblem(ProblemKind.SPAN, says, given.row)
            if not wrong:
                spans = tuple(Span(begin, end) for begin, end in given.spans)
                yield Annotation(ANNOTATOR, known.code(given), document.chart_id, name, spans)


def _listed(notes: list[str]) -> str:
    return ", ".join(map(shown, notes[:5])) + (f" and {len(notes) - 5:,} more" * (len(notes) > 5))
