"""Taking a project's work out, in every format the corpus knows."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

from auscult.core.names import require_known
from auscult.corpus import Corpus, formats
from auscult.server.uploads import CORPUS


def export_formats() -> tuple[str, ...]:
    """A corpus as it is, and every format there is, other packages' too."""
    return (CORPUS, *formats.names())


def write_export(corpus: Corpus, form: str, folder: Path, name: str) -> tuple[Path, list[str]]:
    """Write a corpus as a format into a folder; gives the file to send and what was lost.

    What is a folder goes as a zip file.
    """
    require_known(form, export_formats(), "format")
    target = folder / name
    losses: list[str] = []
    if form == CORPUS:
        corpus.write(target)
    else:
        losses = [str(loss) for loss in formats.write(form, corpus, target)]
    if target.is_file():
        return target, losses
    packed = folder / f"{name}.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(target.rglob("*")):
            if file.is_file() and not file.name.startswith("."):
                archive.write(file, Path(name) / file.relative_to(target))
    shutil.rmtree(target)
    return packed, losses


def file_name(key: int, name: str) -> str:
    """A name for the file: letters and digits of the project's."""
    plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())
    return "-".join(filter(None, plain.split("-")))[:60] or f"project-{key}"
