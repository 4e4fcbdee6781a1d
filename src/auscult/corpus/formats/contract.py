"""What a format is: a module with two functions and the options each takes.

```python
class ReadOptions(FormatOptions): ...
class WriteOptions(FormatOptions): ...
def read(source: Path, options: ReadOptions) -> Corpus: ...
def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]: ...
```

`read` raises `FormatError`, naming the file and row, and nothing else, on whatever it is given.
`write` says what the format cannot hold; with no losses, reading back gives an equal corpus.
Further facts about a format are attributes of its module, all optional:

- `HOLDS`: which of two columns the format writes. Without `annotations.status`, `write` is handed
  only annotations that were given; without `notes.read_by`, a note that is read back has no
  readers. Both losses are counted for the format.
- `NEEDS_NOTES = False`: a corpus of codes without notes can be written.
- `IS_ONE_CORPUS = True`: the format is that of one published corpus, which is called like it.
- `EXAMPLE`: the arguments of an import, for its help, such as
  `"notes.csv corpus --text-column note"`.
- `TARGET`: what an export is written to in the help, such as `"corpus.xml"`.

Options become flags of `auscult corpus import` and `auscult corpus export`, their descriptions
the help. `flags` names the flag of an option where its own name would say something else.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict

from auscult.corpus.corpus import Corpus


class FormatOptions(BaseModel):
    """The base class of a format's options: frozen, unknown options are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    flags: ClassVar[Mapping[str, str]] = {}
    """Flags on the command line, by option; the others are called like the option."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a format cannot represent: which column, how many values, and what became of
    them.

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
    """Counts losses during an export."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, column: str, what: str, became: str, count: int = 1) -> None:
        """Count `count` more values of `what` that could not be represented, and what became of
        them.
        """
        self._counts[column, what, became] += count

    def list(self) -> list[Loss]:
        """All losses counted, in the order they first came."""
        return [
            Loss(column, what, n, became) for (column, what, became), n in self._counts.items() if n
        ]


@dataclass(frozen=True, slots=True)
class FormatFacts:
    """Facts that a format module declares about itself, with defaults."""

    target: str
    example: str = "SOURCE OUT"
    holds: Collection[str] = ()
    needs_notes: bool = True
    is_one_corpus: bool = False


def facts_of(module: object, name: str) -> FormatFacts:
    """The facts of a format module.

    >>> class Lines: EXAMPLE = "bills.txt bills"
    >>> facts_of(Lines, "lines").example, facts_of(Lines, "lines").target
    ('bills.txt bills', 'for-lines')
    """
    fields = [one.name for one in dataclasses.fields(FormatFacts)]
    said = {f: getattr(module, f.upper()) for f in fields if hasattr(module, f.upper())}
    return FormatFacts(**{"target": f"for-{name}", **said})


class Format(Protocol):
    """The protocol of a format module; `FormatFacts` has its optional attributes."""

    __doc__: str | None
    ReadOptions: Any
    WriteOptions: Any

    def read(self, source: Path, options: Any) -> Corpus:
        """The corpus in a file or folder of this format."""
        ...

    def write(self, corpus: Corpus, target: Path, options: Any) -> list[Loss]:
        """Write the corpus as this format and say what it could not hold."""
        ...
