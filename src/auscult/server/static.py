"""The browser's side: files that were built from `web/`, and the page for every route of it."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles

_ABSENT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Auscult</title>
<h1>The web interface has not been built</h1>
<p>Installed packages include it. In a checkout, build it once: <code>make web</code>.
The REST API is described at <a href="/api/openapi.json">/api/openapi.json</a>.</p>
"""


def mount(app: FastAPI, folder: Path) -> None:
    """Serve the files of a folder, and its index.html for every other address."""
    files = StaticFiles(directory=folder, check_dir=False)

    async def page(request: Request) -> Response:
        path = request.path_params["path"]
        if path.startswith("api/"):
            raise HTTPException(404, "Address not found.")
        index = folder / "index.html"
        if not index.is_file():
            return HTMLResponse(_ABSENT)
        try:
            # Files under assets/ have a digest in their names and never change.
            found = await files.get_response(path, request.scope) if path else None
        except HTTPException:
            found = None
        if found is not None and found.status_code in (200, 206, 304):
            if path.startswith("assets/"):
                found.headers["cache-control"] = "public, max-age=31536000, immutable"
            return found
        return FileResponse(index, headers={"cache-control": "no-cache"})

    app.add_route("/{path:path}", page, methods=["GET", "HEAD"], include_in_schema=False)
