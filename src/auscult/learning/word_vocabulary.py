"""The word vocabulary of a network, with one index for all unknown words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from auscult.core import AuscultError

PADDING, UNKNOWN = 0, 1
_FIRST = 2
FILE = "vocabulary.txt"


@dataclass(frozen=True)
class WordVocabulary:
    """Words in a fixed order. Index 0 is padding, index 1 every unknown word.

    >>> known = WordVocabulary(("fever", "cough"))
    >>> known.places(["cough", "fever", "sneeze"]).tolist()
    [3, 2, 1]
    """

    words: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, texts: Iterable[Iterable[str]], *, least: int = 3) -> WordVocabulary:
        """The words that are in at least `least` of the texts, sorted."""
        counted = Counter(word for text in texts for word in set(text))
        return cls(tuple(sorted(word for word, count in counted.items() if count >= least)))

    def __len__(self) -> int:
        return len(self.words) + _FIRST

    def places(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """The index of each word."""
        index = self._index
        found = (index.get(word, UNKNOWN) for word in words)
        return np.fromiter(found, np.int64, len(words))

    def write(self, directory: Path) -> None:
        """Write the words into a directory, one a line."""
        text = "".join(f"{word}\n" for word in self.words)
        (directory / FILE).write_text(text, encoding="utf-8", newline="\n")

    @classmethod
    def read(cls, directory: Path) -> WordVocabulary:
        """What `write` wrote."""
        file = directory / FILE
        try:
            text = file.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise AuscultError(f"{file} is missing or damaged; train again.") from error
        return cls(tuple(text.split("\n")[:-1]))

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: at for at, word in enumerate(self.words, _FIRST)}
