"""A cache of scores on disk, so that an interrupted audit can resume.

A score is found by the model's digest, the code and the digest of the text. The file only grows, by
complete blocks: one for each chart, with a line that closes it. A block that a killed process left
open is removed and computed again, so a resumed audit asks the model the same questions in the same
groups and ends with the same numbers.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from auscult.audit.predictor import Predictor, Question, scores_of_charts
from auscult.core import Code, Note, OptionError
from auscult.core.digests import directory_digest as directory_digest
from auscult.models.perturbation import Perturbation

_CLOSED = b".\n"


class _Waiting(NamedTuple):
    """A chart whose scores are being computed."""

    base: bytes
    keys: list[bytes]
    block: tuple[bytes, ...]
    """What the model is asked for; empty when everything is cached."""


class CachedPredictor:
    """A predictor with a cache. To be used in a `with`, by one process at a time."""

    def __init__(self, inner: Predictor, file: Path, digest: str) -> None:
        self.inner = inner
        self._digest = digest
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = file
        self._handle = file.open("a+b")
        self.known: dict[bytes, float] = {}
        self.asked = self.found = 0

    def __enter__(self) -> Self:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OptionError(
                f"Another audit is writing to {self._file}. Wait until it ends, or choose "
                "another OUT."
            ) from error
        self._handle.seek(0)
        held = self._handle.read()
        whole = held[: held.rfind(b"\n" + _CLOSED) + 1 + len(_CLOSED)] if held else b""
        if not whole.endswith(b"\n" + _CLOSED):
            whole = b""
        self._handle.truncate(len(whole))
        for line in whole.splitlines():
            key, _, score = line.partition(b" ")
            if score:
                self.known[key] = float.fromhex(score.decode())
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.close()

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> Sequence[float]:
        """The cached scores, and those of the model for the rest, which are then cached too."""
        [found] = self.scores_of_charts([(notes, perturbed)], code)
        return found

    def scores_of_charts(self, asked: Iterable[Question], code: Code) -> Iterator[Sequence[float]]:
        """The same for many charts. What an earlier chart is waiting for is not asked for again."""
        waiting: deque[_Waiting] = deque()

        def questions() -> Iterator[Question]:
            coming: set[bytes] = set()
            for notes, perturbed in asked:
                base = self._key(notes, code)
                keys = [self._key(one.applied(notes), code) for one in perturbed]
                there = {key for key in (base, *keys) if key in self.known or key in coming}
                new = {
                    key: one
                    for key, one in zip(keys, perturbed, strict=True)
                    if key not in there and key != base
                }
                self.asked += len(new) + (base not in there)
                self.found += len(there)
                is_asked = bool(new) or base not in there
                waiting.append(_Waiting(base, keys, (base, *new) if is_asked else ()))
                coming.update((base, *new))
                if is_asked:
                    yield notes, list(new.values())

        for scores in scores_of_charts(self.inner, questions(), code):
            while not waiting[0].block:
                yield self._known(waiting.popleft())
            self._keep(dict(zip(waiting[0].block, map(float, scores), strict=True)))
            yield self._known(waiting.popleft())
        while waiting:
            yield self._known(waiting.popleft())

    def _known(self, one: _Waiting) -> list[float]:
        return [self.known[key] for key in (one.base, *one.keys)]

    def _keep(self, block: dict[bytes, float]) -> None:
        lines = (b"%s %s\n" % (key, score.hex().encode()) for key, score in block.items())
        self._handle.write(b"".join((*lines, _CLOSED)))
        self._handle.flush()
        self.known |= block

    def _key(self, notes: Sequence[Note], code: Code) -> bytes:
        digest = hashlib.blake2b(digest_size=16)
        for part in (self._digest, code.system, code.value):
            digest.update(part.encode() + b"\0")
        for note in notes:
            category = (note.category or "").encode()
            text = (note.text or "").encode("utf-8", "surrogatepass")
            digest.update(b"%d %d " % (len(category), len(text)) + category + text)
        return digest.hexdigest().encode()
