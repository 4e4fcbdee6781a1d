"""Models that need no training: a name stands for one where a trained model's folder would."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auscult.codes.home import data_home
from auscult.core.version import __version__
from auscult.models.card import ModelCard, ModelSource, VocabularyUsed
from auscult.models.codebook.scorer import Codebook, CodebookConfiguration
from auscult.models.configuring import configure
from auscult.models.decoding import Decoding
from auscult.models.model import Model

READY_MADE = ("codebook",)


def ready_made(name: str, config: Mapping[str, Any] | None = None) -> Model:
    """The model of that name, ready to predict. There is one so far: codebook."""
    chosen = configure(name, config or {})
    assert isinstance(chosen, CodebookConfiguration)  # the only one
    fitted = Codebook.ready(chosen)
    about = ModelCard(
        made_by=f"auscult {__version__}",
        kind=name,
        seed=0,
        configuration=chosen.model_dump(mode="json"),
        source=ModelSource(name=name, digest=fitted.book, train="none", dev="none", charts=0),
        decoding=Decoding(open_threshold=fitted.scoring.threshold, joins_words=False),
        tuning={"on": fitted.scoring.about},
        vocabulary=None if fitted.vocabulary is None else VocabularyUsed.of(fitted.vocabulary),
    )
    return Model(about, chosen, fitted, frozenset())


def model_folder(model: Path, vocabulary: Path | None = None) -> Path:
    """The folder of a model: the path itself, or, for the name of a ready-made model, a copy of it.

    A folder of that name goes before the model. With a vocabulary, the ready-made model finds the
    terms of that.
    """
    if str(model) not in READY_MADE or model.exists():
        return model
    made = ready_made(str(model), None if vocabulary is None else {"vocabulary": vocabulary})
    digest = hashlib.sha256(made.about.model_dump_json().encode()).hexdigest()[:16]
    folder = data_home() / "cache" / f"model-{model}-{digest}"
    if not folder.exists():
        made.save(folder)
    return folder
