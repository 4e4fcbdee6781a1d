"""A writer that has learnt: turns records into texts, is saved and loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auscult.corpus.records import RecordEncoder
from auscult.learning.about import Learnt, LearntFrom
from auscult.learning.stored import Kept
from auscult.writers import pen as pen_of
from auscult.writers.contract import Decoding, Pen, WriterConfiguration

LAYOUT = 1
KEPT = Kept("writer", "writer.json", LAYOUT, "auscult write train CORPUS")


class Source(LearntFrom):
    """The corpus a writer learnt from."""

    records: int
    dev_records: int
    without_text: int
    """Records that were passed over because no text goes with them."""


class About(Learnt):
    """What a saved writer says of itself: `writer.json`."""

    layout: int = LAYOUT
    source: Source
    encoder: RecordEncoder


@dataclass(frozen=True, eq=False)
class Writer:
    """What was learnt (`pen`), how records are read (`about.encoder`), and how it learnt."""

    about: About
    config: WriterConfiguration
    pen: Pen

    def __repr__(self) -> str:
        return f"Writer(kind={self.about.kind!r})"

    def write(
        self, records: pl.DataFrame, decoding: Decoding | None = None, *, seed: int = 0
    ) -> list[str]:
        """A text for each record, in order.

        The same records and seed give the same texts. Only sampling depends on the seed.
        """
        if not records.height:
            return []
        vectors = self.about.encoder.encode(records)
        written = self.pen.write(vectors, decoding or Decoding(), seed=seed)
        return [" ".join(words) for words in written]

    def save(self, path: Path | str, *, overwrite: bool = True) -> None:
        """Write the writer into a directory, at one stroke; by default in the place of another."""
        KEPT.write(Path(path), self.about, self.pen.save, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path | str) -> Writer:
        """The writer in a directory."""
        path = Path(path)
        file = KEPT.about_file(path)
        about = KEPT.read_about(file, About)
        kind = pen_of(about.kind)
        config = KEPT.configuration(file, about.kind, kind.config_type, about.configuration)
        return cls(about, config, kind.load(path, about.encoder, config))
