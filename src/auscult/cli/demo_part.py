"""What each part of the demo hands to the overview."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from auscult.core.errors import MissingExtraError
from auscult.report.page import PageLink

_MODULES = {"neural": ("torch", "lightning_fabric"), "xgboost": ("xgboost",)}


@dataclass(frozen=True, slots=True)
class DemoPart:
    """The pages that a part wrote, and what it left out for want of a library, with the way to it.

    A part with the libraries for everything leaves nothing out.
    """

    pages: tuple[PageLink, ...]
    left_out: tuple[str, ...] = ()

    def __add__(self, other: DemoPart) -> DemoPart:
        return DemoPart(self.pages + other.pages, self.left_out + other.left_out)


def missing(what: str, extra: str) -> str | None:
    """How to get the libraries of an extra, for `what`; None where they are installed."""
    if all(find_spec(module) for module in _MODULES[extra]):
        return None
    return str(MissingExtraError(what, extra))
