"""The generator `frequent`, a baseline: the most frequent text of the matching records.

It copies whole texts of patients, and its directory contains some.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field
from scipy.sparse import csr_array

from auscult.core import AuscultError, OptionError
from auscult.core.names import require_known
from auscult.corpus.records import RecordEncoder
from auscult.generators.contract import GeneratorConfiguration, TextDecoding, TextExamples, Words

_FILE = "texts.json"


class FrequentConfiguration(GeneratorConfiguration):
    """Settings: the variables that records are grouped by."""

    group_by: tuple[str, ...] = Field(
        (), description="Variables to group the records by, the most important first."
    )


class FrequentGenerator:
    """Looks up the most frequent text; the last variables are dropped until a group matches."""

    config_type: ClassVar[type[FrequentConfiguration]] = FrequentConfiguration

    def __init__(self, texts: dict[str, Words], encoder: RecordEncoder, same: tuple[str, ...]):
        self.texts = texts
        self.encoder = encoder
        self.same = same

    @classmethod
    def fit(
        cls, train: TextExamples, dev: TextExamples, encoder: RecordEncoder, config: Any,
        *, seed: int, directory: Path | None = None,
    ) -> Self:  # fmt: skip
        """Count the texts of each group of records; of several the first in training."""
        if not config.group_by:
            raise OptionError(
                "The generator frequent needs the setting group_by: the variables to group records "
                'by, such as group_by=\'["diagnosis", "body_part"]\'.'
            )
        for name in config.group_by:
            require_known(name, encoder.starts, "variable of the records")
        made = cls({}, encoder, config.group_by)
        counts: dict[str, Counter[Words]] = defaultdict(Counter)
        for keys, words in zip(made._keys(train.vectors), train.words, strict=True):
            for key in keys:
                counts[key][words] += 1
        made.texts = {key: counted.most_common(1)[0][0] for key, counted in counts.items()}
        return made

    def write(self, vectors: csr_array, decoding: TextDecoding, *, seed: int) -> list[Words]:
        """The text of the smallest matching group, for each record."""
        return [
            next(self.texts[key] for key in keys if key in self.texts)
            for keys in self._keys(vectors)
        ]

    def _keys(self, vectors: csr_array) -> list[list[str]]:
        """The groups of each record, the smallest first; the last is everything."""
        places = []
        sizes = {one.name: one.size for one in self.encoder.variables}
        for name in self.same:
            begin = self.encoder.starts[name]
            part = vectors[:, begin : begin + sizes[name]]
            rows = (part.indices[b:e] for b, e in zip(part.indptr, part.indptr[1:], strict=False))
            places.append([" ".join(map(str, sorted(row))) for row in rows])
        return [
            ["|".join(own[:upto]) for upto in range(len(own), -1, -1)]
            for own in zip(*places, strict=True)
        ]

    def save(self, directory: Path) -> None:
        """Write the texts."""
        (directory / _FILE).write_text(json.dumps(self.texts), encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, encoder: RecordEncoder, config: Any) -> Self:
        """Read what `save` wrote."""
        file = directory / _FILE
        try:
            kept = {key: tuple(words) for key, words in json.loads(file.read_bytes()).items()}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise AuscultError(f"{file} is missing or damaged; train again.") from error
        return cls(kept, encoder, config.group_by)
