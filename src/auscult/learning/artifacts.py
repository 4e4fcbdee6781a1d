"""Directories of trained models and generators: a JSON description and parameter files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from auscult.core import AuscultError, OptionError, storage

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ArtifactKind:
    """A kind of directory: its name, the class of its description, the command that makes it."""

    noun: str
    file: str
    layout: int
    """The version of the directory's layout, the only one that is read."""
    made_with: str
    former_file: str
    """What the description was called in version 0.1."""

    def check_target(self, path: Path, overwrite: bool) -> None:
        """Raise an error if nothing may be saved there."""
        storage.check_target(path, self.file, self.noun, overwrite=overwrite)

    def write(
        self, path: Path, about: BaseModel, fill: Callable[[Path], None], *, overwrite: bool
    ) -> None:
        """Write a directory atomically; `fill` writes the parameters."""
        self.check_target(path, overwrite)

        def everything(directory: Path) -> None:
            text = about.model_dump_json(indent=1)
            (directory / self.file).write_text(text + "\n", encoding="utf-8")
            fill(directory)

        storage.publish(path, everything, overwrite=overwrite)

    def about_file(self, path: Path) -> Path:
        """The description file of a directory; an error if there is none."""
        storage.finish_interrupted(path)
        file = path / self.file
        if not file.exists() and (path / self.former_file).exists():
            raise AuscultError(self._outdated(path, "auscult 0.1"))
        if not file.exists():
            found = "there is no such directory" if not path.exists() else f"it has no {self.file}"
            inside = sorted(one.parent for one in path.glob(f"[!.]*/{self.file}"))
            if inside:
                held = f"a {self.noun}" if len(inside) == 1 else f"{len(inside)} {self.noun}s"
                raise OptionError(f"{path} holds {held}. Name one: {inside[0]}")
            out = "OUT" if path.exists() else path
            raise OptionError(
                f"{path} is not a {self.noun}: {found}. Make one with: {self.made_with} {out}"
            )
        return file

    def read_about(self, file: Path, model: type[M]) -> M:
        """Read and validate a description file."""
        found = self.read(file)
        try:
            return model.model_validate(found)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise AuscultError(
                f"{file} does not describe a {self.noun}: {where}: {first['msg']}."
            ) from error

    def configuration(self, file: Path, kind: str, model: type[M], given: dict[str, Any]) -> M:
        """The settings in a description file, as an instance of their class."""
        try:
            return model(**given)
        except ValidationError as error:
            raise AuscultError(
                f"{file}: the configuration does not fit the {self.noun} {kind}: "
                f"{error.errors()[0]['msg']}."
            ) from error

    def read(self, file: Path) -> dict[str, Any]:
        """The contents of a description file, if this version can read its layout."""
        try:
            found: dict[str, Any] = json.loads(file.read_bytes())
            layout = found["layout"]
        except (ValueError, LookupError, TypeError) as error:
            raise AuscultError(f"{file} does not describe a {self.noun}: it is damaged.") from error
        if isinstance(layout, int) and layout < self.layout:
            raise AuscultError(self._outdated(file.parent, found.get("made_by")))
        if isinstance(layout, int) and layout > self.layout:
            raise AuscultError(
                f"{file.parent} was saved by a newer Auscult (layout {layout}, this one reads up "
                f"to {self.layout}). Upgrade: pip install -U auscult"
            )
        return found

    def _outdated(self, path: Path, made_by: object) -> str:
        return (
            f"{path} was made by {made_by or 'an earlier version'} and cannot be used by this one. "
            f"Train again: {self.made_with} OUT"
        )
