"""What codes are looked up in, opened once and shared by all requests."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import threading
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from auscult.codes import table_of
from auscult.codes.compiled import NotCompiledError, only_kept
from auscult.codes.gems import PACKAGED, packaged_gems
from auscult.codes.lookup.code_search import CodeSearch
from auscult.codes.lookup.current import code_search
from auscult.codes.mapping import Mapped, map_code
from auscult.codes.releases import releases_changed
from auscult.codes.sources import icd
from auscult.codes.suggest import Suggester, Suggestion
from auscult.codes.vocabulary import Vocabulary, VocabularyError
from auscult.core import AuscultError, Code
from auscult.server.coding.names import CodeNames

_OTHER = dict(PACKAGED.keys())
"""The revision that each ICD system of diagnoses maps to."""
_LONGEST_BUILD = 1800
_SLIP = "diabetis melitus"
"""What is first searched for: tables of near spellings are read with the first misspelt word."""
_NOWHERE = subprocess.DEVNULL
_Opened = tuple[Suggester, threading.Lock]
logger = logging.getLogger("auscult.server")


class CodeSources:
    """Tables, vocabularies, mappings and the search of code systems, opened when first asked for.

    A search that is not compiled yet is compiled in the background, by another process, so that no
    question waits for it.
    """

    def __init__(self, folder: Path, default: Path | None = None) -> None:
        self._folder = folder
        self._default = default
        self._lock = threading.RLock()
        self._suggesters: dict[Path, _Opened | None] = {}
        self._names: dict[Path | None, CodeNames] = {}
        self._searches: dict[str, tuple[int, CodeSearch]] = {}
        self._preparing: dict[str, int] = {}
        self._compiling = threading.Lock()
        self._compiler: subprocess.Popen[bytes] | None = None
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

    def search(self, system: str) -> CodeSearch | None:
        """The search of an ICD system; None for other systems, and until it is compiled.

        It never waits. After a release was added, the search of the one before answers until the
        new one is there.
        """
        if system not in icd.SYSTEMS:
            return None
        opened, changed = self._searches.get(system), releases_changed()
        if opened is None or opened[0] != changed:
            self._prepare(system, changed)
        return None if opened is None else opened[1]

    def suggest(self, path: Path, words: str, note: str | None, limit: int) -> list[Suggestion]:
        """Suggestions of one vocabulary. A suggester answers one question at a time."""
        opened = self._suggester(path)
        if opened is None:
            return []
        suggester, lock = opened
        with lock:
            return suggester.suggest(words, note=note, limit=limit)

    def pair(self, code: Code) -> Mapped | None:
        """What a code is in the other revision of ICD; None for systems without mappings."""
        return self._pairs(code) if code.system in _OTHER else None

    def warm_up(self, systems: Iterable[str]) -> None:
        """Open and compile, in the background, what the first question would wait for or lack."""
        wanted = list(dict.fromkeys(systems))

        def work() -> None:
            try:
                for system in wanted:
                    table_of(system)
                    if system in _OTHER:
                        packaged_gems(system, _OTHER[system])
                _keep_for_good()
            except (AuscultError, OSError) as error:
                logger.warning("code tables: %s", error)

        threading.Thread(target=work, name="auscult-warm-up", daemon=True).start()
        for system in wanted:
            self.search(system)

    def close(self) -> None:
        """End what is still being compiled; it begins anew at the next start."""
        with self._lock:
            self._is_closed = True
            if self._compiler is not None:
                self._compiler.terminate()

    def _prepare(self, system: str, changed: int) -> None:
        """Open the search in the background, unless that was begun for the same releases."""
        with self._lock:
            if self._is_closed or self._preparing.get(system) == changed:
                return
            self._preparing[system] = changed

        def work() -> None:
            try:
                search = self._open_search(system)
            except (AuscultError, OSError, subprocess.SubprocessError) as error:
                logger.warning(
                    "%s codes are suggested by their beginning and common wordings only: %s",
                    system,
                    error,
                )
                return
            if search is not None:
                search.search(_SLIP)
                self._searches[system] = changed, search
                _keep_for_good()

        threading.Thread(target=work, name=f"auscult-{system}", daemon=True).start()

    def _open_search(self, system: str) -> CodeSearch | None:
        """The search, compiled if need be; None when the server was closed meanwhile."""
        with self._compiling:  # one after the other: coders need the processors too
            if self._is_closed:
                return None
            try:
                with only_kept():
                    return code_search(system)
            except NotCompiledError:
                self._compile(system)
            # Compiled here only where nothing can be written.
            return None if self._is_closed else code_search(system)

    def _compile(self, system: str) -> None:
        # Half a minute of work, which in this process would slow every answer.
        words = [sys.executable, "-m", "auscult", "codes", "compile", system]
        with self._lock:
            if self._is_closed:
                return
            self._compiler = subprocess.Popen(words, stdout=_NOWHERE, stderr=_NOWHERE)
        try:
            status = self._compiler.wait(_LONGEST_BUILD)
        finally:
            self._compiler.terminate()  # nothing to one that has ended
        if status != 0 and not self._is_closed:
            raise subprocess.CalledProcessError(status, words)

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


def _keep_for_good() -> None:
    """Let the garbage collector pass over the tables.

    They are a million objects that stay, and to go through them takes a tenth of a second in which
    nobody is answered.
    """
    gc.collect()
    gc.freeze()


def _open(path: Path) -> _Opened | None:
    try:
        return Suggester(Vocabulary.open(path)), threading.Lock()
    except VocabularyError as error:
        logger.warning("%s", error)
        return None
