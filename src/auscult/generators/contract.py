"""The contract of a generator architecture: from encoded records to words.

An architecture is independent of files, columns and preprocessing. `TextGenerator` (`generator.py`)
does the rest.
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
DecodingStrategy = Literal["greedy", "beam", "sample"]


class TextDecoding(BaseModel):
    """Decoding settings of the generators that choose words one by one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: DecodingStrategy = Field(
        "beam", description="Decoding strategy: greedy search, beam search or sampling."
    )
    num_beams: int = Field(5, ge=1, description="Number of beams for beam search.")
    length_penalty: float = Field(
        1.0,
        ge=0,
        description="Beam search divides a log-probability by the length to this power.",
    )
    temperature: float = Field(
        1.0, gt=0, description="Sampling temperature; below 1 likely words get more likely."
    )
    top_k: int | None = Field(None, ge=1, description="Sample from the k most likely words.")
    top_p: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Sample from the most likely words whose probabilities add up to p.",
    )
    max_length: int | None = Field(
        None,
        ge=1,
        description="Maximum length of a text, in words; default: the 99th percentile in training.",
    )
    batch_size: int = Field(
        256, ge=1, description="Number of records in a batch; changes the speed, not the texts."
    )


class GeneratorConfiguration(BaseModel):
    """Settings of every generator; an architecture adds its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cleaning: Cleaning = Field(Cleaning(), description="Preprocessing of the texts.")
    variables: tuple[str, ...] | None = Field(
        None, description="Columns of the records to generate from; default: all but ids."
    )
    exclude: tuple[str, ...] = Field((), description="Columns of the records to leave out.")
    min_frequency: int = Field(
        5, ge=1, description="Minimum number of training records with a category to encode it."
    )
    min_patients: int = Field(
        5,
        ge=1,
        description="Minimum number of patients who share a word or a whole text to generate it.",
    )
    category: str | None = Field(None, description="Note category of the texts.")


@dataclass(frozen=True, slots=True, eq=False)
class TextExamples:
    """Training examples: row i of `vectors` is a record, `words[i]` its text."""

    vectors: csr_array = field(repr=False)
    words: Sequence[Words] = field(repr=False)
    subjects: Sequence[str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.words)


class GeneratorArchitecture(Protocol):
    """A generator class. The registry names the class; an instance is fitted."""

    config_type: ClassVar[type[GeneratorConfiguration]]

    @classmethod
    def fit(
        cls,
        train: TextExamples,
        dev: TextExamples,
        encoder: RecordEncoder,
        config: Any,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Train with the settings in `config`, with early stopping on `dev`.

        Long training keeps its checkpoints in `directory` and resumes from them.
        """
        ...

    def write(self, vectors: csr_array, decoding: TextDecoding, *, seed: int) -> list[Words]:
        """The words of a text for each record."""
        ...

    def save(self, directory: Path) -> None:
        """Write the parameters into an existing directory, without pickle."""
        ...

    @classmethod
    def load(cls, directory: Path, encoder: RecordEncoder, config: Any) -> Self:
        """Read what `save` wrote."""
        ...
