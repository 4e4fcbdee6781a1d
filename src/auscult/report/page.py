"""HTML pages: one design for all, self-contained, with nothing fetched from anywhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from auscult.core.storage import drafted
from auscult.core.version import __version__


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
    """Render a template to a file. `made` says how the page came about, in its footer."""
    about = {**made, "made by": f"Auscult {__version__}"}
    page = _environment().get_template(template).render(made=about, **values)
    with drafted(file, overwrite=True) as draft:
        draft.write_text(page, encoding="utf-8")
