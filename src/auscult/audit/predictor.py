"""What an audit asks of a coder: the score of a code for a chart, before and after changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from auscult.coders.coder import Coder
from auscult.coders.perturbation import Perturbation
from auscult.core import Code, Note, OptionError
from auscult.core.names import shown
from auscult.core.words import counted


class Predictor(Protocol):
    """Anything that gives probabilities to notes; a `Coder` is one."""

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> Sequence[float]:
        """The score of the chart as it is, then after each perturbation."""
        ...


Question = tuple[Sequence[Note], Sequence[Perturbation]]
"""A chart and what to change in it."""


@runtime_checkable
class ScoresCharts(Protocol):
    """A predictor that can be asked of many charts at once."""

    def scores_of_charts(self, asked: Iterable[Question], code: Code) -> Iterator[Sequence[float]]:
        """What `scores_of_edits` says of each, in order."""
        ...


def scores_of_charts(
    predictor: Predictor, asked: Iterable[Question], code: Code
) -> Iterator[Sequence[float]]:
    """What a predictor says of charts: at once where it can, otherwise one after another."""
    if isinstance(predictor, ScoresCharts):
        return predictor.scores_of_charts(asked, code)
    return (predictor.scores_of_edits(notes, perturbed, code) for notes, perturbed in asked)


@dataclass(frozen=True)
class OfText:
    """A plain function from a text to a probability, whatever the code.

    >>> mother = OfText(lambda text: 0.75 if "mom" in text else 0.25)
    >>> swap = Perturbation.swap([("n", 4, 7)], "dad")
    >>> mother.scores_of_edits([Note("n", "c", text="his mom visited")], [swap], Code("x", "y"))
    [0.75, 0.25]
    """

    function: Callable[[str], float]

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> list[float]:
        """Ask the function about the notes, one after another as one text."""
        every = [list(notes), *(one.applied(notes) for one in perturbed)]
        return [self.function("\n".join(note.text or "" for note in some)) for some in every]


def require_code(coder: Coder, code: Code) -> None:
    """An error unless the coder has learnt the code."""
    if code in coder.labels.index:
        return
    systems = sorted({one.system for one in coder.labels.codes})
    few = ", ".join(str(one) for one in coder.labels.codes[:5])
    raise OptionError(
        f"The coder has not learnt {shown(str(code)) if len(str(code)) > 40 else code}. It knows "
        f"{counted(len(coder.labels), 'code')} of {', '.join(systems)}, such as {few}."
    )


def require_probabilities(scores: Sequence[float]) -> None:
    """An error unless every score is between 0 and 1."""
    for score in scores:
        if score is None or not math.isfinite(score) or not 0 <= score <= 1:
            raise OptionError(
                f"An audit compares probabilities, numbers from 0 to 1; the coder gave {score!r}. "
                "Choose a coder that scores every code."
            )
