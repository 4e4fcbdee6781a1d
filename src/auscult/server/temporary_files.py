"""Files that are made for one answer, and gone when it is sent."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from fastapi.responses import FileResponse
from starlette.background import BackgroundTask


def made_file(write: Callable[[Path], Path], media_type: str) -> FileResponse:
    """The file that `write` makes in a folder of its own, as an answer."""
    folder = tempfile.TemporaryDirectory()
    try:
        file = write(Path(folder.name))
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        file,
        filename=file.name,
        media_type=media_type,
        background=BackgroundTask(folder.cleanup),
    )
