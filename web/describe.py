"""Print what the server says of itself (OpenAPI): the browser side's types are made from it.

python describe.py > openapi.json
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from auscult.server.app import make_app
from auscult.server.settings import ServerSettings
from auscult.server.start import open_database, open_server


def describe() -> dict[str, object]:
    """The description, without addresses: the browser side needs the shapes only."""
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(Path(folder))
        app = make_app(open_server(ServerSettings(Path(folder)), database))
        database.close()
    return {**app.openapi(), "paths": {}}


if __name__ == "__main__":
    print(json.dumps(describe()))
