"""The challenge, Table 1: the majority annotation of four documents."""

from __future__ import annotations

from auscult.agreement.majority import majority
from auscult.core import Annotation, Code
from auscult.corpus import Corpus
from auscult.reproduce.contract import Basis, Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.work import Workspace

_SAID = {
    "Hospital": ("AB", "BC", "EF", "ABEF"),
    "Company Y": ("BC", "ABD", "EF", "ACEF"),
    "Company Z": ("AB", "CDE", "E", "CDEF"),
}
_MAJORITY = ("AB", "BCD", "EF", "ACEF")
_LETTERS = "ABCDEF"


def run(_work: Workspace) -> ReproductionOutcome:
    """Take the majority of three, document by document and code by code."""
    given = [
        Annotation(who, Code("letters", letter), f"Document {at}", f"Document {at}")
        for who, row in _SAID.items()
        for at, codes in enumerate(row, 1)
        for letter in codes
    ]
    found = majority(Corpus.of((), given), tuple(_SAID), votes=2)
    has = {(one.chart_id, one.code.value) for one in found.annotations}
    numbers = {
        f"Document {at} · {letter}": Measured(float((f"Document {at}", letter) in has), Basis.PAPER)
        for at in range(1, len(_MAJORITY) + 1)
        for letter in _LETTERS
    }
    return ReproductionOutcome(numbers, ())


REPRODUCTION = Reproduction(
    name="challenge-table-1",
    paper="challenge",
    label="Table 1",
    title="The majority annotation of four documents",
    needs="nothing: the table itself lists the codes of each of the three coders",
    stand_in="not needed",
    calls=("auscult majority coded voted --annotators hospital,company_y,company_z --votes 2",),
    run=run,
    published=tuple(
        Printed(f"Document {at}", letter, float(letter in codes), 0.0, ".0f")
        for at, codes in enumerate(_MAJORITY, 1)
        for letter in _LETTERS
    ),
    remark="1 if the majority has the code, 0 if not.",
)
