"""Scores that were computed before, kept on disk so that an interrupted audit goes on.

A score is found again by the coder's digest, the code and the digest of the text. The file only
ever grows, by whole blocks: one for each chart that was worked on, with a line that closes it. A
block that a killed process left open is cut off and computed again, so a resumed audit asks the
coder the same questions together and ends with the same numbers.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from auscult.audit.predictor import Predictor
from auscult.coders.perturbation import Perturbation
from auscult.core import Code, Note, OptionError
from auscult.core.digests import directory_digest as directory_digest

_CLOSED = b".\n"


class Cached:
    """A predictor that remembers. To be used in a `with`, one process at a time."""

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
                f"Another audit is at work on {self._file}. Wait for it, or choose another OUT."
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
    ) -> list[float]:
        """What is known, and what the coder says of the rest, which is then known too."""
        base = self._key(notes, code)
        keys = [self._key(one.applied(notes), code) for one in perturbed]
        new = {
            key: one
            for key, one in zip(keys, perturbed, strict=True)
            if key not in self.known and key != base
        }
        self.asked += len(new) + (base not in self.known)
        self.found += len({base, *keys}) - len(new) - (base not in self.known)
        if new or base not in self.known:
            scores = self.inner.scores_of_edits(notes, list(new.values()), code)
            block = dict(zip((base, *new), map(float, scores), strict=True))
            lines = (b"%s %s\n" % (key, score.hex().encode()) for key, score in block.items())
            self._handle.write(b"".join((*lines, _CLOSED)))
            self._handle.flush()
            self.known |= block
        return [self.known[key] for key in (base, *keys)]

    def _key(self, notes: Sequence[Note], code: Code) -> bytes:
        digest = hashlib.blake2b(digest_size=16)
        for part in (self._digest, code.system, code.value):
            digest.update(part.encode() + b"\0")
        for note in notes:
            category = (note.category or "").encode()
            text = (note.text or "").encode("utf-8", "surrogatepass")
            digest.update(b"%d %d " % (len(category), len(text)) + category + text)
        return digest.hexdigest().encode()
