"""Grid search: train with several values of a setting and keep the best model.

The criterion is measured on the charts that thresholds are tuned on:

- `loss`: the lowest loss (Cao et al. 2022, appendix B.1, search the learning rate in this way);
- `code-f1`: the highest micro-F1 of the codes;
- `evidence-f1`: the highest token F1 of the evidence among the models whose codes stay as good as
  without an evidence loss (Cheng et al. 2023, MDACE, appendix D, choose its weight λ so that code
  micro-F1 stays close to the baseline's). The baseline is trained first, with weight 0.

Trainings run in parallel where the engine can.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

from auscult.core import OptionError
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.engine import Engine, Local
from auscult.models import config_type_of, model_class
from auscult.models.configuring import configure
from auscult.models.model import Model
from auscult.models.saved import check_target
from auscult.models.training import done, train, tuned

Criterion = Literal["loss", "code-f1", "evidence-f1"]
TOLERANCE = 0.005
"""How far code F1 may be below the baseline's: MDACE's were 0.583 to 0.585, of 0.584."""
_WEIGHT = "evidence_weight"


@dataclass(frozen=True, slots=True)
class GridPoint:
    """One combination of settings, and how good the model trained with it is on dev."""

    settings: Mapping[str, Any]
    loss: float | None
    code_f1: float | None = None
    evidence_f1: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "settings": dict(self.settings)}


def search(
    corpus: Path,
    out: Path,
    kind: str,
    config: Mapping[str, Any],
    grid: Mapping[str, Sequence[Any]],
    *,
    criterion: Criterion = "loss",
    tolerance: float = TOLERANCE,
    engine: Engine | None = None,
    overwrite: bool = False,
    **chosen: Any,
) -> tuple[Model, list[GridPoint]]:
    """Train a model for each combination of the grid's values, and save the best to `out`.

    The others are kept beside it until all are done, so that an interrupted search goes on. With
    the criterion `evidence-f1`, the first of the points is the baseline, and code micro-F1 may be
    at most `tolerance` below its.
    """
    check_target(out, overwrite)
    choices = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    if not choices or not grid:
        raise OptionError("A grid needs a setting and at least one value for it.")
    for choice in choices:  # a slip is known before hours of training, not after
        configure(kind, {**config, **choice})
    if criterion == "evidence-f1":
        choices.insert(0, _baseline(kind))
    folder = out.absolute().parent / f".{out.name}.search"
    jobs = [(folder / f"{at}", {**config, **choice}) for at, choice in enumerate(choices)]
    work = _Training(corpus.absolute(), kind, chosen)
    found = list(track((engine or Local()).run(work, jobs), "searching", len(jobs)))
    tried = [GridPoint(choice, *one) for choice, one in zip(choices, found, strict=True)]
    best = choose(tried, criterion, tolerance, kind)
    model = Model.load(folder / f"{best}")
    model.save(out, overwrite=overwrite)
    shutil.rmtree(folder)
    return model, tried


def choose(
    tried: Sequence[GridPoint], criterion: Criterion, tolerance: float = TOLERANCE, kind: str = ""
) -> int:
    """The number of the best point.

    The weights that MDACE's authors tried for taggers, with numbers of our own beside the first:

    >>> baseline = GridPoint({"evidence_weight": 0.0}, 0.1, 0.584, 0.36)
    >>> tried = [GridPoint({"evidence_weight": w}, 0.1, f1, evidence)
    ...          for w, f1, evidence in ((0.5, 0.583, 0.40), (1.0, 0.575, 0.42), (2.0, 0.56, 0.43))]
    >>> choose([baseline, *tried], "evidence-f1")
    1
    """
    of = "loss" if criterion == "loss" else criterion.replace("-", "_")
    values = [getattr(one, of) for one in tried]
    first = int(criterion == "evidence-f1")
    if None in values[first:] or (first and None in [one.code_f1 for one in tried]):
        raise OptionError(
            f"The model {kind} reports no {criterion} on held-out notes, so a grid search has "
            "nothing to compare. Train it with each value and evaluate on dev."
        )
    if criterion == "loss":
        return min(range(len(tried)), key=values.__getitem__)
    if criterion == "code-f1":
        return max(range(len(tried)), key=values.__getitem__)
    code = [one.code_f1 or 0.0 for one in tried]
    close = [at for at in range(1, len(tried)) if code[at] >= code[0] - tolerance]
    if not close:
        warnings.warn(
            f"With every value, code F1 is more than {tolerance:g} below the {code[0]:.3f} without "
            f"an evidence loss. The model with the highest code F1 is kept. Try a lower {_WEIGHT}.",
            stacklevel=3,
        )
        return max(range(1, len(tried)), key=code.__getitem__)
    return max(close, key=values.__getitem__)


def _baseline(kind: str) -> dict[str, Any]:
    if _WEIGHT not in config_type_of(model_class(kind)).model_fields:
        raise OptionError(
            "The criterion evidence-f1 compares with a model without an evidence loss, but the "
            f"model {kind} has no setting {_WEIGHT}. Use the criterion loss or code-f1."
        )
    return {_WEIGHT: 0.0}


_Found = tuple[float | None, float | None, float | None]
"""Loss, code F1 and evidence F1."""


@dataclass(frozen=True, slots=True)
class _Training:
    """The task of a worker: train a model with one combination of settings."""

    corpus: Path
    kind: str
    chosen: Mapping[str, Any]

    def begin(self) -> Callable[[tuple[Path, dict[str, Any]]], _Found]:
        return self._train

    def _train(self, job: tuple[Path, dict[str, Any]]) -> _Found:
        place, config = job
        corpus = Corpus.open(self.corpus)
        if place.exists():
            try:
                model = done(place, corpus, self.kind, config, **self.chosen)
            except OptionError as error:
                raise OptionError(
                    f"{place} is left over from another search. Remove {place.parent} and try "
                    "again."
                ) from error
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            model = train(corpus, place, self.kind, config, **self.chosen)
        codes, evidence = (tuned(model, what) for what in ("codes", "evidence"))
        return (
            model.about.tuning.get("loss"),
            None if codes is None else codes.f1,
            None if evidence is None else evidence.f1,
        )
