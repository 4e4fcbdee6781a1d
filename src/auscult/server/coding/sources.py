"""What codes are looked up in, opened once and shared by all requests."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from auscult.codes import table_of
from auscult.codes.gems import PACKAGED, packaged_gems
from auscult.codes.mapping import Mapped, map_code
from auscult.codes.sources import icd
from auscult.codes.suggest import Suggester, Suggestion
from auscult.codes.vocabulary import Vocabulary, VocabularyError
from auscult.core import AuscultError, Code
from auscult.server.coding.code_index import CodeIndex
from auscult.server.coding.names import CodeNames

_OTHER = dict(PACKAGED.keys())
"""The revision that each ICD system of diagnoses maps to."""
_LONGEST_BUILD = 1800
_NOWHERE = subprocess.DEVNULL
_Opened = tuple[Suggester, threading.Lock]
logger = logging.getLogger("auscult.server")


class CodeSources:
    """Tables, vocabularies and mappings, each opened when first asked for.

    The names of ICD codes are made a vocabulary in the background, once for a workbench, so that
    marked text is met with stems, abbreviations and misspellings. Until it is there, tables serve.
    """

    def __init__(self, folder: Path, default: Path | None = None) -> None:
        self._folder = folder
        self._default = default
        self._lock = threading.RLock()
        self._suggesters: dict[Path, _Opened | None] = {}
        self._indexes: dict[str, CodeIndex | None] = {}
        self._building: dict[str, threading.Lock] = {}
        self._names: dict[Path | None, CodeNames] = {}
        self._builder: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._pairs = lru_cache(20_000)(self._map)

    def vocabulary(self, named: str | None) -> Vocabulary | None:
        """A project's vocabulary, or else the server's."""
        path = self._path(named)
        opened = None if path is None else self._suggester(path)
        return None if opened is None else opened[0].vocabulary

    def names(self, named: str | None) -> CodeNames:
        """What codes are called, in a project of this vocabulary."""
        path = self._path(named)
        with self._lock:
            if path not in self._names:
                self._names[path] = CodeNames(self.vocabulary(named))
            return self._names[path]

    def index(self, system: str) -> CodeIndex | None:
        """The type-ahead over a system's table; None when it has none."""
        with self._lock:
            building = self._building.setdefault(system, threading.Lock())
        with building:  # seconds, in which other questions are not held up
            if system not in self._indexes:
                table = table_of(system)
                self._indexes[system] = None if table is None else CodeIndex(table)
            return self._indexes[system]

    def suggest(self, path: Path, words: str, note: str | None, limit: int) -> list[Suggestion]:
        """Suggestions of one vocabulary. A suggester answers one question at a time."""
        opened = self._suggester(path)
        if opened is None:
            return []
        suggester, lock = opened
        with lock:
            return suggester.suggest(words, note=note, limit=limit)

    def suggesting(self, named: str | None, systems: Iterable[str]) -> list[Path]:
        """The vocabularies that are there for a project."""
        found = [] if (own := self._path(named)) is None else [own]
        found += [path for system in systems if (path := self._icd(system)) in self._suggesters]
        return found

    def pair(self, code: Code) -> Mapped | None:
        """What a code is in the other revision of ICD; None for systems without mappings."""
        return self._pairs(code) if code.system in _OTHER else None

    def warm_up(self, systems: Iterable[str], *, builds: bool = True) -> None:
        """Open and build, in the background, what the first question would wait for."""
        wanted = list(dict.fromkeys(systems))

        def work() -> None:
            try:
                for system in wanted:
                    self.index(system)
                    if system in _OTHER:
                        packaged_gems(system, _OTHER[system])
                for system in wanted:
                    if builds and system in icd.SYSTEMS:
                        self._build_icd(system)
            except (AuscultError, OSError, subprocess.SubprocessError) as error:
                logger.warning("suggestions for ICD codes come from tables only: %s", error)

        threading.Thread(target=work, name="auscult-warm-up", daemon=True).start()

    def close(self) -> None:
        """End what is still being built; it begins anew at the next start."""
        with self._lock:
            self._is_closed = True
            if self._builder is not None:
                self._builder.terminate()

    def _build_icd(self, system: str) -> None:
        path = self._icd(system)
        if not path.exists():
            # Half a minute of work, which in this process would slow every answer.
            words = [sys.executable, "-m", "auscult", "vocab", "build", system.lower(), str(path)]
            with self._lock:
                if self._is_closed:
                    return
                self._builder = subprocess.Popen(words, stdout=_NOWHERE, stderr=_NOWHERE)
            try:
                status = self._builder.wait(_LONGEST_BUILD)
            finally:
                self._builder.terminate()  # nothing to one that has ended
            if self._is_closed:
                return
            if status != 0:
                raise subprocess.CalledProcessError(status, words)
        self._suggester(path)

    def _icd(self, system: str) -> Path:
        table = table_of(system) if system in icd.SYSTEMS else None
        release = "" if table is None else f"-{table.release.replace(' ', '-')}"
        return self._folder / "codes" / f"{system}{release}".replace("/", "-")

    def _path(self, named: str | None) -> Path | None:
        return self._default if named is None else self._folder / named

    def _suggester(self, path: Path) -> _Opened | None:
        """One that cannot be opened is done without: notes are to be read all the same."""
        with self._lock:
            if path not in self._suggesters:
                self._suggesters[path] = _open(path)
            return self._suggesters[path]

    def _map(self, code: Code) -> Mapped:
        return map_code(code, packaged_gems(code.system, _OTHER[code.system]))


def _open(path: Path) -> _Opened | None:
    try:
        return Suggester(Vocabulary.open(path)), threading.Lock()
    except VocabularyError as error:
        logger.warning("%s", error)
        return None
