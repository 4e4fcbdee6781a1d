"""Loading a model: from its directory, or a ready-made one by its name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auscult.models.architecture import Architecture
from auscult.models.model import Model
from auscult.models.ready_made import model_folder


def load_model(
    path: Path | str,
    architecture: type[Architecture] | None = None,
    *,
    vocabulary: Path | str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Model:
    """The model in a directory, as `fit(...).save(path)` or `auscult train` wrote it.

    `load_model("codebook")` needs no directory: it codes English notes with all of ICD-10-CM.

    `architecture` is needed for a class of your own. `vocabulary` says where the vocabulary that
    the model was trained with is now, if it has moved; for `codebook`, whose terms to find instead
    of those of ICD-10-CM. `settings` override how a neural model runs: `inference_precision`,
    `threads`, `device`, `batch_size`, `chunk_batch_size`.
    """
    folder = model_folder(Path(path), None if vocabulary is None else Path(vocabulary))
    return Model.load(folder, architecture, vocabulary=vocabulary, settings=settings)
