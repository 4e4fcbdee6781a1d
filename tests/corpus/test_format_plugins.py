"""A format of another package is imported, exported and explained like Auscult's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.core import OptionError
from auscult.corpus import Corpus, formats

_MODULE = '''
"""One line per chart: its id and its codes."""
from auscult.core import Annotation, Code, Note
from auscult.corpus import Corpus
from auscult.corpus.formats import FormatOptions

ReadOptions = WriteOptions = FormatOptions

def read(source, options):
    rows = [line.split() for line in source.read_text().splitlines()]
    notes = [Note(chart, chart, text="") for chart, *_ in rows]
    given = [(chart, code) for chart, *codes in rows for code in codes]
    return Corpus.of(notes, [Annotation("us", Code("CPT", code), chart) for chart, code in given])

def write(corpus, target, options):
    for chart in corpus.charts():
        with target.open("a") as file:
            print(chart.chart_id, *(a.code.value for a in chart.annotations), file=file)
    return []
'''
_FACTS = """
EXAMPLE = "charges.txt charges"
TARGET = "charges.txt"
NEEDS_NOTES = False
IS_ONE_CORPUS = True
"""


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two formats as pip leaves them: `bare` says nothing about itself, `full` everything."""
    folder = tmp_path / "installed"
    about = folder / "charges-0.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: charges\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text(
        "[auscult.formats]\nbare = bare_charges\nfull = full_charges\n"
    )
    (folder / "bare_charges.py").write_text(_MODULE)
    (folder / "full_charges.py").write_text(_MODULE + _FACTS)
    monkeypatch.syspath_prepend(str(folder))
    yield
    for name in ("bare_charges", "full_charges"):
        sys.modules.pop(name, None)


def run(*words: object) -> str:
    done = CliRunner().invoke(auscult, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.usefixtures("offered")
def test_it_is_imported_and_exported(tmp_path: Path) -> None:
    (tmp_path / "charges.txt").write_text("c1 71045 99213\nc2\n")
    for name in ("bare", "full"):
        run("corpus", "import", name, tmp_path / "charges.txt", tmp_path / name)
        run("corpus", "export", name, tmp_path / name, tmp_path / f"{name}.txt")
        assert (tmp_path / f"{name}.txt").read_text() == "c1 71045 99213\nc2\n"
    assert Corpus.open(tmp_path / "bare").manifest.name == "charges"
    assert Corpus.open(tmp_path / "full").manifest.name == "full"


@pytest.mark.usefixtures("offered")
def test_its_help_has_an_example() -> None:
    assert "auscult corpus import full charges.txt charges" in run(
        "corpus", "import", "full", "--help"
    )
    assert "auscult corpus export full corpus charges.txt" in run(
        "corpus", "export", "full", "--help"
    )
    assert "auscult corpus import bare SOURCE OUT" in run("corpus", "import", "bare", "--help")
    assert "auscult corpus export bare corpus for-bare" in run("corpus", "export", "bare", "--help")


@pytest.mark.usefixtures("offered")
def test_whether_it_holds_codes_without_notes_is_for_it_to_say(tmp_path: Path) -> None:
    (tmp_path / "charges.txt").write_text("c1 71045\n")
    codes = formats.read("full", tmp_path / "charges.txt")
    Corpus.of((), codes.iter_annotations()).write(tmp_path / "codes")
    run("corpus", "export", "full", tmp_path / "codes", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "c1 71045\n"
    with pytest.raises(OptionError, match=r"csv, jsonl, mimic3, mimic4, full\.$"):
        run("corpus", "export", "bare", tmp_path / "codes", tmp_path / "bare.txt")


def test_every_format_of_ours_has_an_example() -> None:
    for name in formats.FORMATS:
        assert formats.facts(name).example != "SOURCE OUT"
