"""A trained text generator: turns records into texts, and can be saved and loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auscult.corpus.records import RecordEncoder
from auscult.generators import architecture as architecture_of
from auscult.generators.contract import GeneratorArchitecture, GeneratorConfiguration, TextDecoding
from auscult.learning.artifacts import ArtifactKind
from auscult.learning.card import Card, TrainingSource

LAYOUT = 2
KEPT = ArtifactKind(
    "generator", "generator.json", LAYOUT, "auscult generate train CORPUS", "writer.json"
)


class GeneratorSource(TrainingSource):
    """The corpus a generator was trained on."""

    records: int
    dev_records: int
    without_text: int
    """Records that were left out because they have no text."""


class GeneratorCard(Card):
    """The description of a saved generator: `generator.json`."""

    layout: int = LAYOUT
    source: GeneratorSource
    encoder: RecordEncoder


@dataclass(frozen=True, eq=False)
class TextGenerator:
    """A trained generator (`architecture`), its record encoder (`about.encoder`) and its card."""

    about: GeneratorCard
    config: GeneratorConfiguration
    architecture: GeneratorArchitecture

    def __repr__(self) -> str:
        return f"TextGenerator({self.about.kind!r})"

    def write(
        self, records: pl.DataFrame, decoding: TextDecoding | None = None, *, seed: int = 0
    ) -> list[str]:
        """A text for each record, in order.

        The same records and seed give the same texts. Only sampling depends on the seed.
        """
        if not records.height:
            return []
        vectors = self.about.encoder.encode(records)
        written = self.architecture.write(vectors, decoding or TextDecoding(), seed=seed)
        return [" ".join(words) for words in written]

    def save(self, path: Path | str, *, overwrite: bool = True) -> None:
        """Write the generator into a directory, atomically; by default it replaces another."""
        KEPT.write(Path(path), self.about, self.architecture.save, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path | str) -> TextGenerator:
        """The generator in a directory."""
        path = Path(path)
        file = KEPT.about_file(path)
        about = KEPT.read_about(file, GeneratorCard)
        kind = architecture_of(about.kind)
        config = KEPT.configuration(file, about.kind, kind.config_type, about.configuration)
        return cls(about, config, kind.load(path, about.encoder, config))


def load_generator(path: Path | str) -> TextGenerator:
    """The text generator in a directory, as `auscult generate train` wrote it."""
    return TextGenerator.load(path)
