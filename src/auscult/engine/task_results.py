"""The outcome of a task: a result or an error message, and the warnings raised on the way."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from auscult.core import AuscultError
from auscult.core.version import __version__

AHEAD = 2
"""Tasks in flight per worker: one running and one queued."""


@dataclass(frozen=True, slots=True)
class PackedWork:
    """Work as it is sent: it is unpacked only when the worker's threads are settled."""

    content: bytes
    digest: str
    version: str

    @classmethod
    def of(cls, work: object) -> PackedWork:
        """Pack."""
        content = pickle.dumps(work)
        return cls(content, sha256(content).hexdigest(), __version__)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The outcome of a task."""

    result: Any = None
    error: tuple[type[AuscultError], str] | None = None
    """Not the error itself, since some errors cannot be pickled."""
    messages: tuple[str, ...] = ()

    def opened(self) -> Any:
        """The result; warns and raises what was warned of and raised."""
        for message in self.messages:
            warnings.warn(message, stacklevel=2)
        if self.error is not None:
            kind, message = self.error
            error = kind.__new__(kind)
            error.args = (message,)
            raise error
        return self.result


# The work that this process has begun. It has one at a time, so that memory holds one model.
_begun: tuple[str, Callable[[Any], Any]] | None = None


def perform(packed: PackedWork, task: Any) -> TaskResult:
    """Do a task in a worker; the work is begun with the first."""
    global _begun
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        error = result = None
        try:
            if _begun is None or _begun[0] != packed.digest:
                _begun = None
                _begun = (packed.digest, _begin(packed))
            result = _begun[1](task)
        except AuscultError as raised:
            error = (type(raised), str(raised))
    messages = dict.fromkeys(str(w.message) for w in caught if w.category is UserWarning)
    return TaskResult(result, error, tuple(messages))


def _begin(packed: PackedWork) -> Callable[[Any], Any]:
    if packed.version != __version__:
        raise AuscultError(
            f"A worker runs auscult {__version__}, but this machine runs {packed.version}. "
            "Install the same version on every machine."
        )
    begun: Callable[[Any], Any] = pickle.loads(packed.content).begin()
    return begun
