"""One index of the book: browse it by words, and find the entries that lead to a code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.alphabetic.columns import TEXTS, VERSION, Arrays
from auscult.codes.alphabetic.terms import (
    Cell,
    IndexEntry,
    IndexPhrase,
    Source,
    codes_in,
    parse_code,
)
from auscult.codes.alphabetic.titles import Title, parse_title
from auscult.codes.alphabetic.walk import Reached, best_of, walk
from auscult.codes.alphabetic.words import (
    FILLERS,
    is_connective,
    stems_of,
    words_of,
)
from auscult.codes.index.strings import Strings
from auscult.codes.systems import normalize
from auscult.core import FormatError

_CATEGORY = 3


class AlphabeticIndex:
    """The entries of one index file, made from its arrays when they are asked for.

    Read one with `read_index`, `read_neoplasms` or `read_drugs`; `to_arrays` and `from_arrays`
    keep it in a form that opens at once.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._arrays = dict(arrays)
        about = json.loads(bytes(arrays["about"]))
        if about.get("version") != VERSION:
            raise FormatError(
                f"expected a compiled index of version {VERSION}, got {about.get('version')}; "
                "install the release again"
            )
        self.source: Source = about["source"]
        self.release: str = about["release"]
        self.columns: tuple[str, ...] = tuple(about["columns"])
        """The behaviors or intents of a table; none for an index."""
        self._texts = self._strings("texts")
        self._names = self._strings("names")
        self._stems = self._strings("stems")
        self._codes = self._strings("codes")
        self._parent = _plain_numbers(arrays["parent"])
        self._end = _plain_numbers(arrays["end"])
        # A walk asks for the same titles again and again.
        self._printed = _Titles(self._texts, _plain_numbers(arrays["title"]))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> AlphabeticIndex:
        """The index that `to_arrays` gave; the arrays may be memory-mapped."""
        return cls(arrays)

    def to_arrays(self) -> Arrays:
        """Everything in it, as arrays to be stored."""
        return dict(self._arrays)

    def _strings(self, name: str) -> Strings:
        return Strings(self._arrays[f"{name}_blob"], self._arrays[f"{name}_offsets"])

    def __repr__(self) -> str:
        return f"AlphabeticIndex({self.source}, {self.release}, {len(self):,} entries)"

    def __len__(self) -> int:
        return len(self._parent)

    def __iter__(self) -> Iterator[IndexEntry]:
        texts = [*self._texts, ""]  # so that -1, where there is none, is the empty text
        columns = ([texts[at] for at in self._arrays[name].tolist()] for name in TEXTS)
        cells = self._arrays["cells"].tolist()
        path: list[tuple[int, Title]] = []
        for number, (printed, *fields) in enumerate(zip(*columns, strict=True)):
            # The titles above are mostly those of the entry before.
            while path and path[-1][0] != self._parent[number]:
                path.pop()
            path.append((number, parse_title(printed)))
            titles = tuple(title for _, title in path)
            yield self._made(number, titles, fields, [texts[at] for at in cells[number]])

    def __getitem__(self, number: int) -> IndexEntry:
        return self.entry(number)

    def entry(self, number: int) -> IndexEntry:
        """The entry of a number."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        titles = tuple(parse_title(self.printed(at)) for at in self._lineage(number))
        fields = [self._text(name, number) for name in TEXTS[1:]]
        cells = [self._texts[at] if at >= 0 else "" for at in self._arrays["cells"][number]]
        return self._made(number, titles, fields, cells)

    def _made(
        self, number: int, titles: tuple[Title, ...], fields: Sequence[str], cells: Sequence[str]
    ) -> IndexEntry:
        """An entry of its texts, which are in the order of `TEXTS`."""
        code, manifestation, see, see_also, category, subcategory, note = fields
        manifestations = codes_in(manifestation)
        return IndexEntry(
            number,
            self.source,
            titles,
            *parse_code(code),
            manifestations=manifestations,
            see=see,
            see_also=see_also,
            see_category=category,
            subcategory=subcategory,
            # The tables have remarks where the index has manifestation codes.
            note=note or ("" if manifestations else manifestation),
            cells=tuple(
                Cell(column, *parse_code(text))
                for column, text in zip(self.columns, cells, strict=False)
                if text
            ),
        )

    def _text(self, column: str, number: int) -> str:
        at = int(self._arrays[column][number])
        return "" if at < 0 else self._texts[at]

    def _lineage(self, number: int) -> list[int]:
        path = [number]
        while (above := self._parent[path[-1]]) >= 0:
            path.append(above)
        return path[::-1]

    def printed(self, number: int) -> str:
        """The title of an entry as printed."""
        return self._printed[number]

    def parent(self, number: int) -> int | None:
        """The entry above; None for a main term."""
        above = self._parent[number]
        return None if above < 0 else above

    def children(self, number: int) -> Iterator[int]:
        """The numbers of the entries one level below."""
        at, end = number + 1, self._end[number]
        while at < end:
            yield at
            at = self._end[at]

    def below(self, number: int) -> range:
        """The numbers of all entries below, in the order of the book."""
        return range(number + 1, self._end[number])

    def mains(self) -> Iterator[int]:
        """The numbers of the main terms."""
        at = 0
        while at < len(self):
            yield at
            at = self._end[at]

    def main_terms(self, stems: Sequence[str]) -> tuple[int, ...]:
        """The main terms with exactly these stems in this order."""
        return tuple(self._entries_at(self._stems, "stems", " ".join(stems)))

    def longer_main_terms(self, stems: Sequence[str]) -> tuple[int, ...]:
        """The main terms that begin with these stems and go on."""
        at = self._stems.starting(" ".join(stems) + " ")
        return tuple(np.unique(self._arrays["stems_entry"][at.start : at.stop]).tolist())

    def _entries_at(self, strings: Strings, name: str, text: str) -> Iterator[int]:
        at = strings.find(text)
        while at is not None and at < len(strings) and strings[at] == text:
            yield int(self._arrays[f"{name}_entry"][at])
            at += 1

    def look_up(self, words: str | Sequence[str]) -> tuple[IndexEntry, ...]:
        """The entries a reader of the book would turn to.

        `failure, heart` is the subterm *heart* of the main term *Failure, failed*. Case, plurals
        and the order of words make no difference, and the last word may be the beginning of one:
        `hypert` gives the main terms that begin so. Nothing is returned where a word fits nowhere.
        """
        text = words if isinstance(words, str) else ", ".join(words)
        stems = stems_of(text)
        if not stems:
            return ()
        found = _complete(walk(self, stems)) or self._other_lead(stems)
        if found:
            return tuple(self.entry(reached.number) for reached in found)
        if beginning := self._beginning(" ".join(words_of(text))):
            return tuple(map(self.entry, beginning))
        # The last word of a prefix is no word yet, and has no stem.
        typed = (*stems[:-1], words_of(text)[-1])
        found = _complete(walk(self, typed, prefix=True)) or _complete(walk(self, stems, skips=2))
        return tuple(self.entry(reached.number) for reached in found)

    def _other_lead(self, stems: tuple[str, ...]) -> list[Reached]:
        """As `walk`, with the main term later: `heart failure`."""
        found = []
        for at in range(1, len(stems)):
            found += walk(self, (*stems[at:], *stems[:at]))
        return _complete(best_of(found))

    def _beginning(self, text: str) -> tuple[int, ...]:
        at = self._names.starting(text)
        return tuple(np.unique(self._arrays["names_entry"][at.start : at.stop]).tolist())

    def neighbors(self, words: str, around: int = 5) -> tuple[IndexEntry, ...]:
        """The main terms about where the words would stand in the alphabet."""
        text = " ".join(words_of(words))
        # Everything before the words, and what begins like them.
        start = self._names.starting(text).start
        near = range(max(0, start - around), min(len(self._names), start + around))
        numbers = [int(self._arrays["names_entry"][at]) for at in near]
        return tuple(map(self.entry, dict.fromkeys(numbers)))

    def default_code(self, number: int) -> str:
        """The code beside the main term of an entry, used where nothing more is known."""
        return self.entry(self._lineage(number)[0]).code

    def entries_of(self, code: str) -> tuple[IndexEntry, ...]:
        """The entries that lead to a code, the most specific first.

        The index writes `S72.01-` for all codes that continue so, and leaves out the seventh
        character and the placeholder X before it.
        """
        value = normalize("ICD-10-CM", code)
        plain = value.replace(".", "")
        numbers: dict[int, None] = {}
        for length in range(len(plain), _CATEGORY - 1, -1):
            shorter = _dotted(plain[:length])
            written = [f"{shorter}-"]
            rest = plain[length:]
            if not rest or (len(plain) == 7 and set(rest[:-1]) <= {"X"}):
                written.insert(0, shorter)
            for text in written:
                numbers |= dict.fromkeys(self._entries_at(self._codes, "codes", text))
        return tuple(map(self.entry, numbers))

    def phrases(self, entry: IndexEntry) -> Iterator[IndexPhrase]:
        """The words by which an entry is found; nothing for one that has no words."""
        required: list[tuple[tuple[str, ...], ...]] = []
        optional: list[tuple[str, ...]] = []
        connectives: list[str] = []
        for title in entry.titles:
            steps: dict[tuple[str, ...], None] = {}
            for spelling in title.spellings:
                words = words_of(spelling)
                content = [w for w in words if w not in FILLERS and not _joins(w)]
                if content:
                    steps[tuple(content)] = None
            if steps:
                required.append(tuple(steps))
            words = words_of(title.text)
            optional += [(word,) for word in words if word in FILLERS]
            optional += [modifier for text in title.modifiers if (modifier := words_of(text))]
            connectives += [word for word in words if _joins(word)]
        if required:
            yield IndexPhrase(tuple(required), tuple(optional), tuple(connectives))


class _Titles(dict[int, str]):
    """The titles as printed, by number, each read once."""

    def __init__(self, texts: Strings, column: Sequence[int]) -> None:
        super().__init__()
        self._texts = texts
        self._column = column

    def __missing__(self, number: int) -> str:
        at = self._column[number]
        text = self[number] = "" if at < 0 else self._texts[at]
        return text


def _plain_numbers(column: npt.NDArray[Any]) -> Sequence[int]:
    """A column without a copy, of plain numbers, which are far quicker to take than an array's."""
    return np.asarray(column, np.intc).data


def _joins(word: str) -> bool:
    return is_connective(word) or word == "without"


def _complete(found: list[Reached]) -> list[Reached]:
    return [] if found and found[0].cost.left else found


def _dotted(plain: str) -> str:
    return plain if len(plain) <= _CATEGORY else f"{plain[:_CATEGORY]}.{plain[_CATEGORY:]}"
