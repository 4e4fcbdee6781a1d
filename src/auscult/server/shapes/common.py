"""Pieces that several shapes are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

LARGEST_KEY = 2**31 - 1


def _storable(text: str) -> str:
    """Text that every database takes: no NUL, no half of a surrogate pair."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("holds a NUL character or half of a surrogate pair")
    return text


Words = Annotated[str, AfterValidator(_storable)]
Title = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    AfterValidator(_storable),
]
Key = Annotated[int, Field(ge=1, le=LARGEST_KEY)]
Version = Annotated[int, Field(ge=0, le=LARGEST_KEY)]
InPath = Annotated[int, Path(ge=1, le=LARGEST_KEY)]
Offset = Annotated[int, Field(ge=0, le=LARGEST_KEY)]
Limit = Annotated[int, Field(ge=1, le=500)]
Edges = tuple[Offset, Offset]
Token = Annotated[
    str,
    Field(
        pattern=r"^[0-9A-Za-z_-]{8,64}$",
        description="Made up by the client, never used before: a UUID serves.",
        examples=["2f1c4c1e-6a9b-4d0e-9f0e-3f5a8c9f1b2d"],
    ),
]
SPANS = (
    "Half-open ranges `[begin, end]` of **Unicode code points** of the note's text, as Python "
    "counts. JavaScript counts UTF-16 units: 🫀 is one code point and two units, so convert. "
    "`\\r\\n` is two code points, a combining mark one of its own, a tab one. Several ranges are "
    "one piece of discontinuous evidence."
)


class _Silent(BaseModel):
    """What goes over the wire may hold words of a note, so a `repr` shows no value."""

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Nothing."""
        return ()

    def __str__(self) -> str:
        return repr(self)


class In(_Silent):
    """The base of what comes in: nothing unheard of."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Out(_Silent):
    """The base of what goes out."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


class Problem(BaseModel):
    """Why a request was not done: `kind` for programs, `message` for people, and what helps."""

    model_config = ConfigDict(extra="allow")

    kind: str = Field(examples=["conflict"])
    message: str


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers that every route may give, and those named, for the OpenAPI description."""
    says = {
        400: "The request cannot be read.",
        401: "Nobody is logged in.",
        403: "Not allowed, or the CSRF token is missing.",
        404: "There is none, or none that you may see.",
        409: "Something has changed since; the answer says what is there now.",
        413: "Too large.",
        422: "Not as it must be; the message says what was expected.",
        429: "Too many attempts.",
    }
    wanted = sorted({400, 401, 403, 404, 413, 422, *statuses})
    return {status: {"model": Problem, "description": says[status]} for status in wanted}
