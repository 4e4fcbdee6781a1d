"""JSON read strictly, with errors that say where and show nothing of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from auscult.core import FormatError


def parse(raw: bytes | str, file: Path | None = None, row: int | None = None) -> Any:
    """The value in a text of JSON. Without a row, errors name the line inside the text."""
    try:
        text = raw.decode() if isinstance(raw, bytes) else raw
    except UnicodeDecodeError as error:
        at = row or error.object.count(b"\n", 0, error.start) + 1
        raise FormatError(f"byte {error.object[error.start]:#04x} is not UTF-8", file, at) from None
    try:
        value = json.loads(text)
        if "\\u" in text:  # the only way in for half of a surrogate pair
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise FormatError(
            f"is not JSON: {error.msg} (character {error.colno})", file, row or error.lineno
        ) from None
    except UnicodeEncodeError:
        raise FormatError("half of a surrogate pair, which is not a character", file, row) from None
    except (ValueError, RecursionError):
        raise FormatError(
            "JSON with a number that is too long, or nested too deeply", file, row
        ) from None
    return value


def kind(value: object) -> str:
    """What a value is, to say that it should have been something else."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")
