"""Estimate the training time of a neural model on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auscult.core import AuscultError, OptionError
from auscult.core.option_names import option
from auscult.corpus.corpus import Corpus
from auscult.learning.splits import TRAIN
from auscult.learning.training_estimate import TrainingEstimate, estimated
from auscult.models import config_type_of, model_class, model_name
from auscult.models.architecture import Architecture
from auscult.models.fitting import fit


def estimate_training(
    corpus: Corpus,
    model: str | type[Architecture],
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train_split: str = TRAIN,
    dev_split: str | None = None,
) -> TrainingEstimate:
    """Estimate epochs, steps and seconds of a training by running a few of its steps.

    The corpus is read and the network is built as for training; nothing is written.
    """
    if "epochs" not in config_type_of(model_class(model)).model_fields:
        raise OptionError(
            f"The model {model_name(model)} is not trained in epochs, so its training time cannot "
            f"be estimated from a few steps. Leave out {option('--model')} to estimate the default "
            "model, or choose a neural model."
        )
    found = estimated(
        lambda: fit(corpus, model, config, seed=seed, train_split=train_split, dev_split=dev_split)
    )
    if found is None:
        raise AuscultError(
            f"The model {model_name(model)} was trained without any step of the shared training "
            "loop (auscult.learning.training), so there is nothing to measure its time by. Leave "
            f"{option('--estimate', 'the estimate')} out."
        )
    return found
