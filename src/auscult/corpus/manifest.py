"""The manifest of a corpus: what it is, whose it is, and the digests of its files."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

LAYOUT = 3
"""The version of the directory's layout, the only one that is read.

2: annotations have a status, notes the names of who read them. 3: American spelling of fields.
"""


class FileEntry(BaseModel):
    """One Parquet file as it was written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    rows: int
    bytes: int


class ProvenanceStep(BaseModel):
    """A step of making a corpus: how many documents it left out, and how many were left."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    removed: int
    left: int


class Provenance(BaseModel):
    """One thing that was done to make the corpus: by what, with which options, step by step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    by: str
    options: dict[str, Any] = {}
    steps: tuple[ProvenanceStep, ...] = ()


class Manifest(BaseModel):
    """`manifest.json`. Counts and digests are filled in when the corpus is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layout: int = LAYOUT
    name: str = "corpus"
    description: str | None = None
    license: str | None = None
    source: str | None = None
    access: str | None = Field(
        None, description="who may access the corpus, in the data owner's words"
    )
    made_by: str | None = Field(None, description="the Auscult version that wrote it")
    history: tuple[Provenance, ...] = Field((), description="how documents were selected and split")
    annotators: dict[str, int] = {}
    systems: dict[str, int] = {}
    files: dict[str, FileEntry] = {}
