"""From the notes of a chart to its codes: analyze, locate, assign, verify."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.codes.locate.current import term_locator
from auscult.codes.lookup.clinicians import clinician_table
from auscult.codes.lookup.current import code_search
from auscult.core import Code, Note
from auscult.models.codebook.candidates import SYSTEM, Candidate, candidates_of, features
from auscult.models.codebook.finding import MentionFinder
from auscult.models.codebook.scoring import CodeScoring
from auscult.models.open_codes import OpenCode, OpenEvidence


class CodeAssigner:
    """Codes charts by the code book that is installed."""

    def __init__(self) -> None:
        self._finder = MentionFinder(term_locator(), code_search(SYSTEM).descent)
        self._common = clinician_table().common_codes()

    def candidates(self, notes: Sequence[Note]) -> list[tuple[Candidate, dict[str, float]]]:
        """The codes that a chart may have, each with its features."""
        mentions = [
            mention
            for number, note in enumerate(notes)
            for mention in self._finder.find(number, note.text or "")
        ]
        found = candidates_of(mentions)
        codes = [Code(SYSTEM, one.code) for one in found]
        return [(one, features(one, codes, self._common)) for one in found]

    def codes(self, notes: Sequence[Note], scoring: CodeScoring) -> list[OpenCode]:
        """The codes that a chart may have, each with its probability and evidence."""
        return [
            OpenCode(
                Code(SYSTEM, one.code),
                round(scoring.probability(row), 4),
                tuple(OpenEvidence(notes[m.note], m.spans, m.why) for m in one.mentions),
            )
            for one, row in self.candidates(notes)
        ]
