"""HTML pages: one design for all, self-contained, with nothing fetched from anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from auscult.core.storage import drafted
from auscult.core.version import __version__


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page to refer to: its file, its title, and what it shows."""

    file: str
    title: str
    about: str


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("auscult.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def write_page(file: Path, template: str, *, made: dict[str, str], **values: Any) -> None:
    """Render a template to a file. `made` describes in the footer how the page was made."""
    about = {**made, "made by": f"Auscult {__version__}"}
    page = _environment().get_template(template).render(made=about, **values)
    with drafted(file, overwrite=True) as draft:
        draft.write_text(page, encoding="utf-8")
