"""Starts servers one after the other, each a fork of this process, which has imported all it needs.

A line on standard input is a JSON list: the file to log to, and the arguments of `auscult`. The
answers are the new process's id, and a line once it has ended.
"""

from __future__ import annotations

import json
import os
import sys
import threading

import uvicorn  # noqa: F401 - so that forks have it

import auscult.server.app
import auscult.server.database.migrate
import auscult.server.projects.sample  # noqa: F401 - so that forks have them
from auscult.__main__ import main


def serve(log: str, words: list[str]) -> None:
    """Become the server."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.argv = ["auscult", *words]
    main()


if __name__ == "__main__":
    assert threading.active_count() == 1  # a fork has one thread, whatever the others were doing
    for line in sys.stdin:
        log, *words = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                serve(log, words)
            finally:
                os._exit(1)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("ended", flush=True)
