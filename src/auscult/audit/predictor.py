"""What an audit needs of a model: the score of a code for a chart, before and after edits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from auscult.core import Code, Note, OptionError
from auscult.core.names import shown
from auscult.core.plurals import counted
from auscult.models.model import Model
from auscult.models.perturbation import Perturbation


class Predictor(Protocol):
    """Anything that scores notes with probabilities; a `Model` is one."""

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> Sequence[float]:
        """The score of the chart as it is, then after each perturbation."""
        ...


Question = tuple[Sequence[Note], Sequence[Perturbation]]
"""A chart and the edits to score."""


@runtime_checkable
class ScoresCharts(Protocol):
    """A predictor that can score many charts at once."""

    def scores_of_charts(self, asked: Iterable[Question], code: Code) -> Iterator[Sequence[float]]:
        """The results of `scores_of_edits` for each, in order."""
        ...


def scores_of_charts(
    predictor: Predictor, asked: Iterable[Question], code: Code
) -> Iterator[Sequence[float]]:
    """The scores of charts: at once if the predictor can, otherwise one after another."""
    if isinstance(predictor, ScoresCharts):
        return predictor.scores_of_charts(asked, code)
    return (predictor.scores_of_edits(notes, perturbed, code) for notes, perturbed in asked)


@dataclass(frozen=True)
class TextPredictor:
    """A plain function from a text to a probability, whatever the code.

    >>> mother = TextPredictor(lambda text: 0.75 if "mom" in text else 0.25)
    >>> swap = Perturbation.swap([("n", 4, 7)], "dad")
    >>> mother.scores_of_edits([Note("n", "c", text="his mom visited")], [swap], Code("x", "y"))
    [0.75, 0.25]
    """

    function: Callable[[str], float]

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> list[float]:
        """Apply the function to the notes, concatenated into one text."""
        every = [list(notes), *(one.applied(notes) for one in perturbed)]
        return [self.function("\n".join(note.text or "" for note in some)) for some in every]


def require_code(model: Model, code: Code) -> None:
    """Raise an error unless the code is in the model's label space."""
    if code in model.labels.index:
        return
    systems = sorted({one.system for one in model.labels.codes})
    few = ", ".join(str(one) for one in model.labels.codes[:5])
    raise OptionError(
        f"{code.system} {shown(code.value)} is not in the model's "
        f"label space, which has {counted(len(model.labels), 'code')} of "
        f"{', '.join(systems)}, such as {few}."
    )


def require_probabilities(scores: Sequence[float]) -> None:
    """Raise an error unless every score is between 0 and 1."""
    for score in scores:
        if score is None or not math.isfinite(score) or not 0 <= score <= 1:
            raise OptionError(
                "An audit compares probabilities, numbers from 0 to 1; the model returned "
                f"{score!r}. Choose a model that scores every code."
            )
