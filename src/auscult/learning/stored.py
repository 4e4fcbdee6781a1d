"""A directory with something that has learnt: one JSON file that describes it, and the rest."""

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
class Kept:
    """What a kind of directory is called, how its description is, and which command makes one."""

    noun: str
    file: str
    layout: int
    """The version of the directory's layout. A reader refuses a newer one."""
    made_with: str

    def check_target(self, path: Path, overwrite: bool) -> None:
        """An error when nothing may be saved there."""
        storage.check_target(path, self.file, self.noun, overwrite=overwrite)

    def write(
        self, path: Path, about: BaseModel, fill: Callable[[Path], None], *, overwrite: bool
    ) -> None:
        """Write a directory at one stroke; `fill` writes what was learnt."""
        self.check_target(path, overwrite)

        def everything(directory: Path) -> None:
            text = about.model_dump_json(indent=1)
            (directory / self.file).write_text(text + "\n", encoding="utf-8")
            fill(directory)

        storage.publish(path, everything, overwrite=overwrite)

    def about_file(self, path: Path) -> Path:
        """The file that describes what is in a directory; an error when there is none."""
        storage.settle(path)
        file = path / self.file
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
        """What such a file says, as the description it must be."""
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
        """The configuration that such a file has, as its kind's model has it."""
        try:
            return model(**given)
        except ValidationError as error:
            raise AuscultError(
                f"{file}: the configuration is not one of the {self.noun} {kind}: "
                f"{error.errors()[0]['msg']}."
            ) from error

    def read(self, file: Path) -> dict[str, Any]:
        """What such a file says, as it is, if this version can read it."""
        try:
            found: dict[str, Any] = json.loads(file.read_bytes())
            layout = found["layout"]
        except (ValueError, LookupError, TypeError) as error:
            raise AuscultError(f"{file} does not describe a {self.noun}: it is damaged.") from error
        if isinstance(layout, int) and layout > self.layout:
            raise AuscultError(
                f"{file.parent} was saved by a newer Auscult (layout {layout}, this one reads up "
                f"to {self.layout}). Upgrade: pip install -U auscult"
            )
        return found
