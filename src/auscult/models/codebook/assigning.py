"""From the notes of a chart to its codes: analyze, locate, assign, verify."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from auscult.assertion import Assertion
from auscult.codes.locate.current import term_locator
from auscult.codes.lookup.clinicians import clinician_table
from auscult.codes.lookup.current import code_search
from auscult.codes.tabular.current import tabular_list
from auscult.core import Code, Note
from auscult.models.care_setting import CareSetting, is_visit
from auscult.models.codebook.candidates import (
    Candidate,
    candidates_of,
    features,
    verified,
)
from auscult.models.codebook.combinations import combined, of_one_type
from auscult.models.codebook.drug_induced import of_drugs
from auscult.models.codebook.encounters import of_encounter
from auscult.models.codebook.finding import MentionFinder
from auscult.models.codebook.mention import ABSENT
from auscult.models.codebook.past import is_over
from auscult.models.codebook.pregnancy import of_pregnancy
from auscult.models.codebook.sections import is_of_encounter
from auscult.models.codebook.sequelae import with_sequelae
from auscult.models.codebook.translating import BOOK, Translation, same
from auscult.models.open_codes import OpenEvidence


class FoundCode(NamedTuple):
    """A code that a chart may have, what speaks for it, and that as numbers."""

    code: Code
    candidate: Candidate
    features: dict[str, float]

    def evidence(self, notes: Sequence[Note]) -> tuple[OpenEvidence, ...]:
        """Its mentions in the notes."""
        return tuple(
            OpenEvidence(notes[one.note], one.spans, one.why) for one in self.candidate.mentions
        )


class CodeAssigner:
    """Assigns codes by the code book that is installed, and says them in another system.

    What is probable or suspected is coded for inpatients, as if it existed (ICD-10-CM Official
    Guidelines, Sections II.H and III.C), and not for outpatients (IV.H).
    """

    def __init__(self, translation: Translation = same, setting: CareSetting = "auto") -> None:
        self._descent = code_search(BOOK).descent
        self._finder = MentionFinder(term_locator(), self._descent)
        self._setting = setting
        self._common = clinician_table().common_codes()
        self._listed = tabular_list()
        self._translation = translation

    def candidates(self, notes: Sequence[Note]) -> list[FoundCode]:
        """The codes that a chart may have, each once."""
        is_encounter = any(is_of_encounter(note.text or "") for note in notes)
        mentions = [
            mention
            for number, note in enumerate(notes)
            for mention in self._finder.find(number, note.text or "")
            if not (is_encounter and is_over(mention))
        ]
        told = of_pregnancy(
            with_sequelae(
                of_drugs(combined(of_one_type(mentions))), [note.text or "" for note in notes]
            ),
            self._descent,
            is_encounter=is_encounter,
        )
        if is_encounter:
            told = of_encounter(
                told, [note.text or "" for note in notes], self._descent.is_billable
            )
        found = verified(
            candidates_of(told, self._absent(notes, is_encounter)),
            self._listed.describe,
            is_encounter=is_encounter,
        )
        codes = [Code(BOOK, one.code) for one in found]
        lengths = [len(note.text or "") for note in notes]
        before = list(accumulate(lengths, initial=0))
        best: dict[Code, FoundCode] = {}
        for one in found:
            code = self._translation(one.code)
            # Of several that are one code in the other system, the one whose words fit best.
            if code is not None and (
                code not in best or best[code].candidate.best.fit < one.best.fit
            ):
                first = one.mentions[0]
                row = features(
                    one,
                    codes,
                    self._common.get(one.code, 0),
                    self._listed.describe(one.code) or "",
                    (before[first.note] + first.begin) / max(1, before[-1]),
                )
                best[code] = FoundCode(code, one, row)
        return list(best.values())

    def _absent(self, notes: Sequence[Note], is_encounter: bool) -> frozenset[Assertion]:
        """How conditions are meant that are not coded."""
        is_outpatient = self._setting == "outpatient"
        if self._setting == "auto":
            is_outpatient = is_visit(notes, is_encounter=is_encounter)
        return ABSENT | {Assertion.UNCERTAIN} if is_outpatient else ABSENT
