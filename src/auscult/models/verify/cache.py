"""Answers on disk, one small file each, so that no question is paid for twice.

A file is called by the digest of the question and of who was asked, and appears by a rename: what
is there is whole. It holds a verdict and offsets, no text of a note.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from auscult.core.digests import digest_of
from auscult.models.verify.answer import VerifierAnswer, checked_answer
from auscult.models.verify.question import VERSION, CodeQuestion
from auscult.models.verify.reasons import ANSWERED, UnverifiedReason


@dataclass(frozen=True, slots=True)
class VerifierCache:
    """The answers of one language model at one server."""

    folder: Path
    model: str
    server: str

    def get(self, question: CodeQuestion) -> VerifierAnswer | UnverifiedReason | None:
        """What was answered to a question before, which may have been nothing valid."""
        try:
            held = json.loads(self._file(question).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(held, dict):
            return None
        with suppress(ValueError):
            reason = UnverifiedReason(held.get("unverified", ""))
            return reason if reason in ANSWERED else None
        return checked_answer(held, question)

    def put(self, question: CodeQuestion, answer: VerifierAnswer | UnverifiedReason) -> None:
        """Keep what was answered. Where nothing can be written, a warning says so."""
        if isinstance(answer, UnverifiedReason):
            held: dict[str, object] = {"unverified": str(answer)}
        else:
            held = answer.to_dict()
        file = self._file(question)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.folder.chmod(0o700)
            file.parent.mkdir(exist_ok=True, mode=0o700)
            handle, draft = tempfile.mkstemp(prefix=".draft-", dir=file.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as target:
                    json.dump(held, target)
                Path(draft).replace(file)
            except BaseException:
                Path(draft).unlink(missing_ok=True)
                raise
        except OSError:
            warnings.warn(
                f"The verifier's answers cannot be kept in {self.folder}; the next run will ask "
                "again.",
                stacklevel=2,
            )

    def _file(self, question: CodeQuestion) -> Path:
        name = digest_of(VERSION, self.server, self.model, question.rules, question.data)
        return self.folder / name[:2] / f"{name}.json"
