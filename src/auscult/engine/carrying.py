"""What a worker sends back: a result, or an error in words, and the warnings on the way."""

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
"""Tasks under way for every worker: one at work and one at hand."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Work as it is sent: it is unpacked only when the worker's threads are settled."""

    content: bytes
    digest: str
    version: str

    @classmethod
    def of(cls, work: object) -> Packed:
        """Pack."""
        content = pickle.dumps(work)
        return cls(content, sha256(content).hexdigest(), __version__)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a task."""

    result: Any = None
    error: tuple[type[AuscultError], str] | None = None
    """Not the error itself, since some errors cannot be pickled."""
    said: tuple[str, ...] = ()

    def opened(self) -> Any:
        """The result; warns and raises what was warned of and raised."""
        for message in self.said:
            warnings.warn(message, stacklevel=2)
        if self.error is not None:
            kind, message = self.error
            error = kind.__new__(kind)
            error.args = (message,)
            raise error
        return self.result


# The work that this process has begun. It has one at a time, so that memory holds one coder.
_begun: tuple[str, Callable[[Any], Any]] | None = None


def perform(packed: Packed, task: Any) -> Done:
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
    said = dict.fromkeys(str(w.message) for w in caught if w.category is UserWarning)
    return Done(result, error, tuple(said))


def _begin(packed: Packed) -> Callable[[Any], Any]:
    if packed.version != __version__:
        raise AuscultError(
            f"A worker has auscult {__version__}, and {packed.version} is at work here. Install "
            "the same version on every machine."
        )
    begun: Callable[[Any], Any] = pickle.loads(packed.content).begin()
    return begun
