"""A coder's directory: `coder.json`, the charts it learnt from, and what its kind writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from auscult.coders.about import LAYOUT
from auscult.core import AuscultError, OptionError, storage

ABOUT = "coder.json"
TRAINED_ON = "trained_on.txt"
M = TypeVar("M", bound=BaseModel)


def check_target(path: Path, overwrite: bool) -> None:
    """An error when a coder may not be saved there."""
    if path.exists() and not overwrite:
        raise OptionError(f"{path} exists already. Choose another name, or pass --overwrite.")
    if path.exists() and not storage.locate(path, ABOUT).exists():
        raise OptionError(f"{path} exists and is no coder, so it is not overwritten.")


def write(
    path: Path, about: BaseModel, trained_on: Iterable[str], fill: Callable[[Path], None]
) -> None:
    """Write a coder's directory at one stroke; `fill` writes what was learnt."""
    check_target(path, overwrite=True)

    def everything(directory: Path) -> None:
        text = about.model_dump_json(indent=1)
        (directory / ABOUT).write_text(text + "\n", encoding="utf-8")
        (directory / TRAINED_ON).write_text("".join(f"{d}\n" for d in sorted(trained_on)))
        fill(directory)

    storage.publish(path, everything)


def about_file(path: Path) -> Path:
    """The `coder.json` of a coder's directory; an error when it is none."""
    storage.settle(path)
    file = path / ABOUT
    if not file.exists():
        found = "there is no such directory" if not path.exists() else f"it has no {ABOUT}"
        raise OptionError(
            f"{path} is not a coder: {found}. Make one with: auscult train CORPUS {path}"
        )
    return file


def kind_at(path: Path) -> str:
    """The kind of the coder in a directory."""
    return str(_read(about_file(path)).get("kind"))


def read_about(file: Path, model: type[M]) -> M:
    """What a `coder.json` says, as the kind of description it must be."""
    found = _read(file)
    try:
        return model.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise AuscultError(f"{file} does not describe a coder: {where}: {first['msg']}.") from error


def read_trained_on(path: Path) -> frozenset[str]:
    """The digests of the charts a coder learnt from."""
    return frozenset((path / TRAINED_ON).read_text().split())


def _read(file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(file.read_bytes())
        layout = found["layout"]
    except (ValueError, LookupError, TypeError) as error:
        raise AuscultError(f"{file} does not describe a coder: it is damaged.") from error
    if isinstance(layout, int) and layout > LAYOUT:
        raise AuscultError(
            f"{file.parent} was saved by a newer Auscult (layout {layout}, this one reads up to "
            f"{LAYOUT}). Upgrade: pip install -U auscult"
        )
    return found
