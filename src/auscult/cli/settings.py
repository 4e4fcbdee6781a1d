"""Hyperparameters: a TOML file, and KEY=VALUE that override it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from auscult.core import OptionError


def read_toml(file: Path) -> dict[str, Any]:
    """The tables and values of a TOML file."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OptionError(f"{file} is not valid TOML: {error}.") from error


def setting(given: str) -> tuple[str, Any]:
    """Parse KEY=VALUE; the value is TOML, or else a string."""
    name, equals, value = given.partition("=")
    if not (name and equals):
        raise OptionError(f"--set takes KEY=VALUE; got {given!r}.")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value
