"""`auscult serve` and `auscult team`, as people type them."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import Note, OptionError
from auscult.corpus import Corpus

TEXT = "Fever and cough."


@pytest.fixture
def charts(tmp_path: Path) -> Path:
    """A small corpus."""
    notes = [Note("n1", "c1", text=TEXT), Note("n2", "c2", text=TEXT)]
    Corpus.of(notes).described(name="small").write(tmp_path / "charts")
    return tmp_path / "charts"


def _run(*words: object) -> Any:
    done = CliRunner().invoke(auscult, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_printed_address_opens_the_workbench(charts: Path, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["serve", str(tmp_path / "work"), "--corpus", str(charts), "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-m", "auscult", *words, "--systems", "UMLS", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        for _ in range(600):
            try:
                browser.open(address)
                break
            except OSError:
                time.sleep(0.1)
        base = re.match(r"http://[^/]+", address)
        assert base is not None
        (project,) = json.load(browser.open(f"{base[0]}/api/projects"))
        assert (project["name"], project["assigned"]) == ("small", 2)
        with pytest.raises(OSError, match="403"):
            urllib.request.urlopen(re.sub("token=.*", "token=guessed", address))
    finally:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode in (0, 130), said
    assert "Traceback" not in said
    assert TEXT not in said


def test_other_addresses_need_accounts_and_an_invitation_opens_the_way(tmp_path: Path) -> None:
    from auscult.cli.serve import open_workbench

    work = tmp_path / "work"
    with pytest.raises(OptionError, match="auscult team invite"):
        open_workbench(work, None, host="0.0.0.0", port=8460)
    made = _run("team", "invite", work, "ann", "--admin")
    assert made["path"].startswith("/join#")
    server = open_workbench(work, None, host="0.0.0.0", port=8460)
    assert server.settings.token is None
    server.database.close()


def test_a_project_of_a_corpus_is_made_once(charts: Path, tmp_path: Path) -> None:
    from auscult.cli.serve import open_workbench

    for _ in range(2):
        server = open_workbench(tmp_path / "w", None, host="127.0.0.1", port=0, corpus=charts)
        server.database.close()
    (person,) = _run("team", "list", tmp_path / "w")["people"]
    assert person["projects"] == {"small": "supervisor"}
    checked = _run("team", "check", tmp_path / "w")["projects"]
    assert [(one["differing"], one["missing"]) for one in checked] == [(0, 0)]
    rows = _run("team", "audit", tmp_path / "w")["rows"]
    assert [row["action"] for row in rows] == ["project made"]


def test_a_new_project_is_pre_annotated_unless_somebody_says_otherwise(
    charts: Path, tmp_path: Path
) -> None:
    import sqlalchemy as sa

    from auscult.cli.serve import open_workbench
    from auscult.server.database.tables import project

    def chosen(folder: str, **options: Any) -> str | None:
        server = open_workbench(
            tmp_path / folder, None, host="127.0.0.1", port=0, corpus=charts, **options
        )
        with server.database.reading() as connection:
            found: str | None = connection.execute(sa.select(project.c.pre_annotator)).scalar_one()
        server.database.close()
        return found

    assert chosen("default") == "codebook"
    assert chosen("umls", systems=("UMLS",)) is None
    assert chosen("none", pre_annotate="none") is None
    assert chosen("none") is None  # what was said stays
    assert chosen("none", pre_annotate="codebook") == "codebook"
    with pytest.raises(OptionError, match="is no model"):
        chosen("mistaken", pre_annotate="codebok")
    assert not (tmp_path / "mistaken").exists()


def test_check_finds_what_was_tampered_with(charts: Path, tmp_path: Path) -> None:
    import sqlalchemy as sa

    from auscult.cli.serve import open_workbench
    from auscult.server.database.tables import sheet

    server = open_workbench(tmp_path / "w", None, host="127.0.0.1", port=0, corpus=charts)
    with server.database.writing() as connection:
        values = {"person": 1, "chart": 1, "note": 1, "project": 1, "version": 7}
        connection.execute(sa.insert(sheet).values(values))
    server.database.close()
    done = CliRunner().invoke(auscult, ["team", "check", str(tmp_path / "w")])
    assert done.exit_code == 1
    assert "1 difference" in done.output


def test_a_port_that_is_taken(charts: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = ["serve", str(tmp_path / "w"), "--corpus", str(charts), "--port", port]
        done = CliRunner().invoke(auscult, words)
    assert isinstance(done.exception, OptionError)
    assert "choose another --port" in str(done.exception)


def test_options_that_belong_together(tmp_path: Path) -> None:
    from auscult.cli.serve import open_workbench

    with pytest.raises(OptionError, match="need --corpus"):
        open_workbench(tmp_path, None, host="127.0.0.1", port=0, systems=("UMLS",))
    with pytest.raises(OptionError, match="need --corpus"):
        open_workbench(tmp_path, None, host="127.0.0.1", port=0, pre_annotate="none")
    assert CliRunner().invoke(auscult, ["team", "list", str(tmp_path / "none")]).exit_code == 2
