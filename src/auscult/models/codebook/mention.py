"""A mention: words of a note that led to a code."""

from __future__ import annotations

from dataclasses import dataclass, field

from auscult.assertion import Assertion
from auscult.codes.locate.locator import fit_of
from auscult.core import Span
from auscult.models.codebook.sections import Section

ABSENT = frozenset((Assertion.NEGATED, Assertion.FAMILY, Assertion.HYPOTHETICAL))
"""How conditions are meant that are not coded: the patient does not have them."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of note number `note` that led to a code of ICD-10-CM.

    `words`, `gap` and `synonyms` say how the words fit the term that was found, `source` where the
    term is from, and `preference` how likely the term is meant by them. `why` is the way from the
    words to the code; it may quote the note.
    """

    note: int
    spans: tuple[Span, ...]
    code: str
    assertion: Assertion
    words: int
    gap: int
    synonyms: int
    source: str
    preference: float
    why: str = field(repr=False)
    rules: tuple[str, ...] = ()
    """The guidelines that changed the code, as they are cited."""
    section: Section = Section.NONE

    @property
    def fit(self) -> float:
        """How well the words fit the term: longer ones better, gaps and synonyms worse."""
        return fit_of(self.words, self.gap, self.synonyms)

    @property
    def begin(self) -> int:
        """Where it begins."""
        return self.spans[0].begin


def of_phrase(number: int, span: Span, code: str, why: str, guideline: str, said: str) -> Mention:
    """A mention that a rule found: `said` are its words, in note `number`."""
    return Mention(
        number, (span,), code, Assertion.PRESENT, len(said.split()), 0, 0, "rule", 1.0,
        f"{why} → {code}", (guideline,),
    )  # fmt: skip
