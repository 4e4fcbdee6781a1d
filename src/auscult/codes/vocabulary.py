"""A vocabulary: concepts and all they are called, in a directory that opens at once.

Everything is in arrays that are mapped into memory as they are on disk: nothing is parsed, pages
are read when they are needed, and all processes of a machine share them.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError

from auscult.codes.concept import Concept, Synonym
from auscult.codes.exclusions import Exclusion, Exclusions
from auscult.codes.index.build import Arrays, Builder
from auscult.codes.index.folding import fold
from auscult.codes.index.strings import Strings
from auscult.codes.index.tokens import tokenize
from auscult.codes.index.trie import ROOT, Trie
from auscult.core import AuscultError, Code, storage
from auscult.core.names import require_known
from auscult.core.progress import track
from auscult.core.storage import locate, publish
from auscult.core.version import __version__

LAYOUT = 1
MANIFEST = "vocabulary.json"
_ATTEMPTS = 3


class VocabularyError(AuscultError):
    """A vocabulary directory that is missing, unfinished, damaged, or of another version."""


class VocabularyManifest(BaseModel):
    """What a vocabulary says of itself."""

    model_config = ConfigDict(frozen=True)

    layout: int = LAYOUT
    name: str
    source: str = ""
    language: str = "english"
    made_by: str = ""
    concepts: int
    terms: int
    words: int
    systems: tuple[str, ...]
    sources: tuple[str, ...]
    term_types: tuple[str, ...]
    types: tuple[str, ...]
    exclusions: tuple[Exclusion, ...] = ()
    files: dict[str, int]
    digest: str


class Vocabulary:
    """Concepts, by code and by what they are called.

    >>> import tempfile
    >>> asthma = Concept(Code("UMLS", "C0004096"), "Asthma", (Synonym("Bronchial asthma"),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     vocabulary = Vocabulary.build([asthma], Path(folder, "small"))
    ...     print([concept.name for concept in vocabulary.called("bronchial  ASTHMA")])
    ['Asthma']
    """

    def __init__(self, path: Path, manifest: VocabularyManifest, arrays: Arrays) -> None:
        self.path = path
        self.manifest = manifest
        self.arrays = arrays
        self.trie = Trie(arrays)
        self.words = Strings(arrays["words"], arrays["word_offsets"])
        self.numbers = self.words.numbers()
        self.stems = Strings(arrays["stems"], arrays["stem_text_offsets"])
        self._ids = Strings(arrays["concept_ids"], arrays["concept_id_offsets"])
        self._details = Strings(arrays["concept_details"], arrays["concept_detail_offsets"])
        self._texts = Strings.of(arrays, "term")

    def __repr__(self) -> str:
        return f"Vocabulary({self.manifest.name!r}, {len(self)} concepts)"

    def __len__(self) -> int:
        return self.manifest.concepts

    def __iter__(self) -> Iterator[Concept]:
        return map(self.concept_at, range(len(self)))

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """The vocabulary in a directory. Reads its manifest and maps its arrays, no more."""
        path = Path(path)
        for attempt in range(_ATTEMPTS):
            manifest = _read_manifest(path)
            try:
                return cls(path, manifest, _map_arrays(path, manifest))
            except KeyError as error:
                raise VocabularyError(
                    f"{path} has no array {error.args[0]}. Build the vocabulary again."
                ) from error
            except VocabularyError:
                # It may just have been replaced by a new one.
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError  # the loop returns or raises

    @classmethod
    def build(
        cls,
        concepts: Iterable[Concept],
        path: Path | str,
        *,
        name: str = "",
        source: str = "",
        language: str = "english",
        exclusions: Exclusions | None = None,
        overwrite: bool = False,
    ) -> Self:
        """Make a vocabulary of concepts, at one stroke: a build that dies leaves nothing.

        `exclusions` may hold what the source could not give; what cannot be taken is added to
        them, and the manifest lists all.
        """
        path = Path(path)
        check_target(path, overwrite)
        exclusions = exclusions or Exclusions()
        builder = Builder(language, exclusions)
        for concept in track(concepts, "reading concepts"):
            builder.add(concept)
        arrays = builder.finish()

        def fill(directory: Path) -> None:
            digest = hashlib.sha256()
            files = {}
            for key, made in track(sorted(arrays.items()), "writing"):
                file = directory / f"{key}.npy"
                np.save(file, made, allow_pickle=False)
                digest.update(np.ascontiguousarray(made).data)
                files[file.name] = file.stat().st_size
            manifest = VocabularyManifest(
                name=name or path.name,
                source=source,
                language=language,
                made_by=f"auscult {__version__}",
                concepts=len(builder),
                terms=len(arrays["term_source"]),
                words=len(arrays["word_stem"]),
                systems=tuple(builder.systems.list()),
                sources=tuple(builder.sources.list()),
                term_types=tuple(builder.term_types.list()),
                types=tuple(builder.types.list()),
                exclusions=tuple(exclusions.list()),
                files=files,
                digest=digest.hexdigest(),
            )
            (directory / MANIFEST).write_text(
                manifest.model_dump_json(indent=1) + "\n", encoding="utf-8"
            )

        publish(path, fill, overwrite=overwrite)
        return cls.open(path)

    def concept_at(self, number: int) -> Concept:
        """The concept of a number: 0 is the most prevalent."""
        arrays, manifest = self.arrays, self.manifest
        first, last = arrays["concept_terms"][number : number + 2].tolist()
        begin, end = arrays["concept_type_offsets"][number : number + 2].tolist()
        details = json.loads(self._details[number] or "{}")
        return Concept(
            self.code_at(number),
            self._texts[first],
            tuple(self.synonym_at(term) for term in range(first, last)),
            tuple(manifest.types[t] for t in arrays["concept_types"][begin:end].tolist()),
            tuple(Code(system, value) for system, value in details.get("xrefs", ())),
            tuple(details.get("parents", ())),
        )

    def code_at(self, number: int) -> Code:
        """The code of the concept of a number."""
        system = self.manifest.systems[self.arrays["concept_system"][number]]
        return Code(system, self._ids[number])

    def name_at(self, number: int) -> str:
        """The preferred name of the concept of a number."""
        return self._texts[int(self.arrays["concept_terms"][number])]

    def synonym_at(self, term: int) -> Synonym:
        """The term of a number, as a synonym."""
        arrays, manifest = self.arrays, self.manifest
        return Synonym(
            self._texts[term],
            manifest.sources[arrays["term_source"][term]],
            manifest.term_types[arrays["term_type"][term]],
            int(arrays["term_count"][term]),
        )

    def concepts_of(self, terms: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """The number of the concept of each term."""
        found: npt.NDArray[np.int64] = self.arrays["term_concept"][terms].astype(np.int64)
        return found

    def get(self, value: str, system: str | None = None) -> Concept | None:
        """The concept with a code, of any system unless one is named, or None."""
        for number in self._numbered(value):
            if system is None or self.code_at(number).system == system:
                return self.concept_at(number)
        return None

    def number_of(self, code: Code) -> int | None:
        """The number of the concept with a code, or None."""
        return next((n for n in self._numbered(code.value) if self.code_at(n) == code), None)

    def require(self, value: str) -> Concept:
        """The concept with a code; an error guesses which was meant."""
        found = self.get(value) or self.get(value.upper())
        if found is None:
            require_known(value, self._neighbors(value), f"concept of {self.manifest.name}")
            raise AssertionError  # it is not among its neighbors
        return found

    def _numbered(self, value: str) -> Iterator[int]:
        by_id = self.arrays["concept_by_id"]
        at = self._by_id(value)
        while at < len(by_id) and self._ids[int(by_id[at])] == value:
            yield int(by_id[at])
            at += 1

    def _by_id(self, value: str) -> int:
        by_id = self.arrays["concept_by_id"]
        return bisect_left(range(len(by_id)), value, key=lambda at: self._ids[int(by_id[at])])

    def _neighbors(self, value: str) -> list[str]:
        by_id, at = self.arrays["concept_by_id"], self._by_id(value)
        return [self._ids[int(n)] for n in by_id[max(0, at - 5) : at + 5]]

    def called(self, text: str) -> list[Concept]:
        """The concepts that are called so, in whatever case and spacing, most prevalent first."""
        numbers = np.unique(self.concepts_of(self.terms_called(text)))
        return [self.concept_at(number) for number in numbers.tolist()]

    def terms_called(self, text: str) -> npt.NDArray[np.uint32]:
        """The numbers of the terms that are this text, in order."""
        words = [self.numbers[word] for word in tokenize(fold(text).text)]
        node = ROOT if -1 in words else self.trie.find(words)
        return self.trie.terms(node) if node != ROOT else np.zeros(0, dtype=np.uint32)


def check_target(path: Path, overwrite: bool) -> None:
    """An error when a vocabulary may not be built there."""
    storage.check_target(path, MANIFEST, "vocabulary", overwrite=overwrite)


def _read_manifest(path: Path) -> VocabularyManifest:
    file = locate(path, MANIFEST)
    if not file.exists():
        found = "there is no such directory" if not path.exists() else f"it has no {MANIFEST}"
        raise VocabularyError(
            f"{path} is not a vocabulary: {found}. Make one with: auscult vocab build SOURCE {path}"
        )
    try:
        raw = json.loads(file.read_bytes())
        layout = raw.get("layout") if isinstance(raw, dict) else None
        if isinstance(layout, int) and layout > LAYOUT:
            raise VocabularyError(
                f"{path} was built by a newer Auscult (layout {layout}, this one reads up to "
                f"{LAYOUT}). Upgrade: pip install -U auscult"
            )
        return VocabularyManifest.model_validate(raw)
    except (ValueError, ValidationError) as error:
        raise VocabularyError(f"{file} is damaged. Build the vocabulary again.") from error


def _map_arrays(path: Path, manifest: VocabularyManifest) -> Arrays:
    arrays: Arrays = {}
    for name, size in manifest.files.items():
        file = locate(path, name)
        try:
            if file.stat().st_size != size:
                raise VocabularyError(
                    f"{file} has {file.stat().st_size} bytes instead of {size}: the file is "
                    "incomplete. Build the vocabulary again."
                )
            # A view without memmap's bookkeeping, which would slow every slice.
            mapped = np.load(file, mmap_mode="r", allow_pickle=False).view(np.ndarray)
        except (OSError, ValueError) as error:
            raise VocabularyError(
                f"{file} is missing or damaged. Build the vocabulary again."
            ) from error
        arrays[file.stem] = mapped
    return arrays
