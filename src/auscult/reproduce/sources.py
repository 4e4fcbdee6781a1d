"""The papers' data, as far as the user has it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from auscult.core import OptionError
from auscult.core.digests import file_digest
from auscult.core.names import require_known
from auscult.core.storage import drafted

SOURCES: Mapping[str, str] = {
    "mimic3": "Folder of MIMIC-III's tables (PhysioNet, credentialed).",
    "mdace": "MDACE's folder, with data/ and splits/ (open, github.com/3mcloud/MDACE).",
    "cmc": "XML file of the 2007 challenge with the codes of its three coders (open).",
    "mcn": "MCN, n2c2 2019 track 3: folders of notes and .norm files (credentialed).",
    "mcn-systems": "Directory with a subdirectory of .norm files for each team of track 3, and for "
    "metamap and ctakes.",
    "umls": "The UMLS's META folder (licensed).",
    "ncbi": "NCBI disease, with train/ and devel/ (open): a stand-in for MCN.",
    "concepts": "Corpus with concepts by the annotators annotator_1, annotator_2, metamap and "
    "ctakes.",
    "bert": "A clinical BERT in Hugging Face format (open: Bio_ClinicalBERT).",
    "second": "Folder of a second hospital's tables, in MIMIC-III's columns.",
    "neiss": "CSV file of the CPSC's injury visits (open): a stand-in for New York's records.",
}


@dataclass(frozen=True, slots=True)
class DataSources:
    """Where each of them is; those that are not named are not there."""

    paths: Mapping[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, path in self.paths.items():
            require_known(name, SOURCES, "source")
            if not path.exists():
                raise OptionError(f"--{name} {path} does not exist. Expected: {SOURCES[name]}")

    def get(self, name: str) -> Path | None:
        """The place of a source, if it is there."""
        return self.paths.get(name)


class Digests:
    """SHA-256 of files and folders, remembered in a file as long as they do not change."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, str] = {}
        if file.exists():
            self._known = json.loads(file.read_text(encoding="utf-8"))

    def of(self, *paths: Path) -> str:
        """One digest of some files and of all files of some folders."""
        found = hashlib.sha256()
        before = len(self._known)
        for root, file in _files(paths):
            name = file.relative_to(root.parent).as_posix()
            found.update(f"{name} {self._digest(file)}\n".encode())
        if len(self._known) > before:
            with drafted(self._file, overwrite=True) as draft:
                draft.write_text(json.dumps(self._known), encoding="utf-8")
        return found.hexdigest()

    def _digest(self, file: Path) -> str:
        state = file.stat()
        key = f"{file.resolve()} {state.st_size} {state.st_mtime_ns}"
        if key not in self._known:
            self._known[key] = file_digest(file)
        return self._known[key]


def _files(paths: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    for path in paths:
        if path.is_file():
            yield path, path
        else:
            yield from ((path, file) for file in sorted(path.rglob("*")) if file.is_file())
