"""Entities, Table 2: three changes to the annotation schema, and what they do to evaluation."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.evaluate.entities import evaluate_entities
from auscult.reproduce.contract import Basis, Measured, Reproduction, ReproductionOutcome, above
from auscult.reproduce.work import Workspace

_SPUTUM = ("C0444159", "C0038056")
_COMPOUND = "Severe Asthma Exacerbation"
_WHOLE = (_COMPOUND, "C0038218")
_PARTS = (("Severe", "C0205082"), ("Asthma", "C0004096"), ("Asthma Exacerbation", "C0349790"))
_ONE_OF_TWO, _PART = "Systems right that chose either concept of ‘Sputum’", "Spans right"
_NEW, _OLD = "the authors' schema", "one concept, longest span only"


def run(_work: Workspace) -> ReproductionOutcome:
    """Evaluate the table's examples against gold of the new schema and of the one before."""
    several, single = (
        sum(_right("Sputum", [("Sputum", c) for c in gold], [("Sputum", one)]) for one in _SPUTUM)
        for gold in (_SPUTUM, _SPUTUM[:1])
    )
    with_parts, longest = (
        _right(_COMPOUND, gold, [_PARTS[1]]) for gold in ((_WHOLE, *_PARTS), (_WHOLE,))
    )
    found = {
        f"{_ONE_OF_TWO} · {_NEW}": several,
        f"{_ONE_OF_TWO} · {_OLD}": single,
        f"{_PART} · {_NEW}": with_parts,
        f"{_PART} · {_OLD}": longest,
    }
    numbers = {key: Measured.counted(value, Basis.PAPER) for key, value in found.items()}
    return ReproductionOutcome(numbers, ())


def _right(text: str, gold: Sequence[tuple[str, str]], given: Sequence[tuple[str, str]]) -> int:
    """How many gold spans a system has right."""
    note = Note("n", "n", text=text)

    def marked(who: str, rows: Sequence[tuple[str, str]]) -> Corpus:
        every = []
        for name, concept in rows:
            begin = text.index(name)
            span = Span(begin, begin + len(name))
            every.append(Annotation(who, Code("UMLS", concept), "n", "n", (span,)))
        return Corpus.of([note], every)

    found = evaluate_entities(marked("gold", gold), {"system": marked("system", given)}, times=0)
    return round((found.subsets["all"].systems["system"].value or 0.0) * found.spans)


REPRODUCTION = Reproduction(
    name="entities-table-2",
    paper="entities",
    label="Table 2",
    title="Three changes to the annotation schema",
    needs="nothing: the table prints its examples",
    stand_in="not needed",
    calls=("auscult corpus doctor concepts --entity-guidelines", "docs/guidelines-concepts.md"),
    run=run,
    claims=(
        above(f"{_ONE_OF_TWO} · {_NEW}", f"{_ONE_OF_TWO} · {_OLD}",
              "A system may choose either of two concepts that fit equally well."),
        above(f"{_PART} · {_NEW}", f"{_PART} · {_OLD}",
              "A system that finds ‘Asthma’ in a compound that it misses is credited for it."),
    ),
    remark="The table has examples and no numbers. The rules are those of Auscult's concept "
        "guidelines, which `auscult corpus doctor` checks. The paper prints the first concept with "
        "a digit too many (C00038218).",
)  # fmt: skip
