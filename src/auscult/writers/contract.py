"""What every kind of writer is made of: a pen that turns encoded records into words.

A pen knows nothing of files, columns or cleaning. `Writer` (in `writer.py`) does the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field
from scipy.sparse import csr_array

from auscult.corpus.records import Cleaning, RecordEncoder

Words = tuple[str, ...]
Way = Literal["greedy", "beam", "sample"]


class Decoding(BaseModel):
    """How words are chosen, by those kinds that choose them one by one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    way: Way = Field("beam", description="greedy, beam or sample.")
    width: int = Field(5, ge=1, description="Hypotheses of a beam.")
    length_norm: float = Field(
        1.0, ge=0, description="Beam: divide a log-probability by length to this power."
    )
    temperature: float = Field(1.0, gt=0, description="Sample: below 1 likely words get likelier.")
    top_k: int | None = Field(None, ge=1, description="Sample among this many likeliest words.")
    top_p: float | None = Field(
        None, gt=0, le=1, description="Sample among the likeliest words that share this probability"
    )
    longest: int | None = Field(
        None,
        ge=1,
        description="Words at most; by default what all but a hundredth of texts have.",
    )
    batch: int = Field(256, ge=1, description="Records at once; changes the speed, not the texts.")


class WriterConfiguration(BaseModel):
    """What every kind of writer can be told; a kind adds fields of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cleaning: Cleaning = Field(Cleaning(), description="What is done to texts before learning.")
    variables: tuple[str, ...] | None = Field(
        None, description="Columns of the records to write from; all but ids by default."
    )
    leave_out: tuple[str, ...] = Field((), description="Columns of the records to pass over.")
    least_records: int = Field(
        5, ge=1, description="Training records that must share a category for it to be known."
    )
    least_patients: int = Field(
        5,
        ge=1,
        description="Patients who must share a word or a whole text for it to be written.",
    )
    category: str | None = Field(None, description="Category of the notes that are the texts.")


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Row i of `vectors` is a record, `words[i]` its text."""

    vectors: csr_array = field(repr=False)
    words: Sequence[Words] = field(repr=False)
    subjects: Sequence[str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.words)


class Pen(Protocol):
    """A kind of writer: the class is what the registry names, an instance is one that learnt."""

    config_type: ClassVar[type[WriterConfiguration]]

    @classmethod
    def fit(
        cls,
        train: Examples,
        dev: Examples,
        encoder: RecordEncoder,
        config: Any,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Learn, as `config` (of the kind's `config_type`) says; `dev` decides when to stop.

        Work that takes long keeps checkpoints in `directory` and goes on from them.
        """
        ...

    def write(self, vectors: csr_array, decoding: Decoding, *, seed: int) -> list[Words]:
        """The words of a text for each record."""
        ...

    def save(self, directory: Path) -> None:
        """Write what was learnt into a directory that is there; no pickle."""
        ...

    @classmethod
    def load(cls, directory: Path, encoder: RecordEncoder, config: Any) -> Self:
        """What `save` wrote."""
        ...
