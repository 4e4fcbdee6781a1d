"""What a format is: a module with two functions and the options each takes.

```python
class ReadOptions(Options): ...
class WriteOptions(Options): ...
def read(source: Path, options: ReadOptions) -> Corpus: ...
def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]: ...
```

`read` raises `FormatError`, naming the file and row, and nothing else, on whatever it is given.
`write` says what the format cannot hold; with no losses, reading back gives an equal corpus.
`HOLDS`, where a module has it, names which of two columns it takes care of: without
`annotations.status` it is handed only what was given, and without `notes.read_by` nobody is known
to have read a note that is read back. What is lost by that is counted for it.
Options become flags of `auscult corpus import` and `auscult corpus export`, their descriptions
the help.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from auscult.corpus.corpus import Corpus


class Options(BaseModel):
    """The base of every format's options: frozen, and nothing unheard of."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class Loss:
    """Something a format could not hold, how often, what became of it, and which column it is of.

    A column is called as in `annotations.spans` or `notes.text`; rows that are gone altogether are
    a loss of `notes`, `annotations` or `records`.

    >>> print(Loss("annotations.spans", "discontinuous spans", 3, "written as their whole extent"))
    3 discontinuous spans: written as their whole extent
    """

    column: str
    what: str
    count: int
    became: str

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.count:,} {self.what}: {self.became}"


class Losses:
    """Counts losses while a writer goes along."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, column: str, what: str, became: str, count: int = 1) -> None:
        """Note that `count` more of `what` could not be held, and what became of them."""
        self._counts[column, what, became] += count

    def list(self) -> list[Loss]:
        """All losses counted, in the order they first came."""
        return [
            Loss(column, what, n, became) for (column, what, became), n in self._counts.items() if n
        ]


class Format(Protocol):
    """The shape of a format module."""

    __doc__: str | None
    ReadOptions: Any
    WriteOptions: Any

    def read(self, source: Path, options: Any) -> Corpus:
        """The corpus in a file or folder of this format."""
        ...

    def write(self, corpus: Corpus, target: Path, options: Any) -> list[Loss]:
        """Write the corpus as this format and say what it could not hold."""
        ...
