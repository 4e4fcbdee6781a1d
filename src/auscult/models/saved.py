"""The directory of a saved model: `model.json`, the training charts' digests, parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import BaseModel

from auscult.codes.vocabulary import Vocabulary
from auscult.core import AuscultError, OptionError
from auscult.core.option_names import option
from auscult.learning.artifacts import ArtifactKind
from auscult.models.card import LAYOUT, ModelCard, ModelSource

KEPT = ArtifactKind("model", "model.json", LAYOUT, "auscult train CORPUS", "coder.json")
TRAINED_ON = "trained_on.txt"
_DIGESTS = re.compile(r"([0-9a-f]{16}\n)*")
check_target, about_file, read_about = KEPT.check_target, KEPT.about_file, KEPT.read_about


def write(
    path: Path,
    about: BaseModel,
    trained_on: Iterable[str],
    fill: Callable[[Path], None],
    *,
    overwrite: bool,
) -> None:
    """Write a model's directory atomically; `fill` writes the parameters."""

    def everything(directory: Path) -> None:
        (directory / TRAINED_ON).write_text("".join(f"{d}\n" for d in sorted(trained_on)))
        fill(directory)

    KEPT.write(path, about, everything, overwrite=overwrite)


def read_trained_on(path: Path, source: ModelSource) -> frozenset[str]:
    """The digests of the charts a model was trained on."""
    file = path / TRAINED_ON
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else "missing"
    found = frozenset(text.split())
    if not _DIGESTS.fullmatch(text) or len(found) < source.charts:
        raise AuscultError(
            f"{file}, the list of the charts that the model was trained on, is missing or "
            "damaged. Without it, evaluation on training charts cannot be detected. Train "
            "the model again."
        )
    return found


def open_vocabulary(about: ModelCard, elsewhere: Path | str | None) -> Vocabulary | None:
    """The vocabulary a model was trained with, from where it was or is now; None without one."""
    used = about.vocabulary
    if used is None:
        return None
    path = Path(elsewhere or used.path)
    if not path.exists():
        raise OptionError(
            f"The model was trained with the vocabulary {used.name}, which is no longer at "
            f"{path}. Pass its new path with {option('--vocabulary')}."
        )
    opened = Vocabulary.open(path)
    if opened.manifest.digest != used.digest:
        raise OptionError(
            f"The vocabulary at {path} is not the one the model was trained with "
            f"({used.name}, digest {used.digest[:12]}). Pass that one with "
            f"{option('--vocabulary')}, or train again."
        )
    return opened
