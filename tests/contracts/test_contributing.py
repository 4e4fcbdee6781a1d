"""The format that CONTRIBUTING.md shows goes through the suite that it promises."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contracts import corpora, test_formats
from tests.contracts.corpora import Holds, texts

from auscult.core import Note
from auscult.corpus import Corpus, formats

_PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
_IMPORTS = """
from pathlib import Path

import polars as pl
from pydantic import Field

from auscult.core import Note
from auscult.core.files import read_text
from auscult.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import unsupported
from auscult.corpus.formats.shared.files import text_files
from auscult.corpus.formats.shared.note_files import file_name, note_id_of
from auscult.corpus.formats.shared.plain_text import write_note
"""
_SUITE: list[Callable[..., Any]] = [
    test_formats.test_shape,
    test_formats.test_what_it_can_hold_comes_back,
    test_formats.test_what_is_not_there_is_an_error,
    test_formats.test_a_failed_write_leaves_nothing_behind,
    test_formats.test_what_exists_is_not_overwritten,
    test_formats.test_nothing_shows_the_text,
    test_formats.test_unknown_options_are_refused,
]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> str:
    """The example as the format `plain`, in its place for as long as a test takes."""
    blocks = re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (shown,) = [block for block in blocks if "class ReadOptions" in block]
    doc, code = shown.split("\n", 1)
    module = ModuleType("auscult.corpus.formats.plain", doc.strip('"'))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(_IMPORTS + code, str(_PAGE), "exec"), module.__dict__)
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, "plain"))
    holds = Holds(
        text=texts("\0"),
        note_id=corpora.names(),
        code=corpora.ANYTHING.code,
        spans=(),
        read_by=st.just(()),
    )
    monkeypatch.setitem(corpora.HELD, "plain", holds)
    return "plain"


@pytest.mark.parametrize("check", _SUITE, ids=lambda check: str(check.__name__))
def test_the_example_passes(check: Callable[..., Any], plain: str, tmp_path: Path) -> None:
    takes = check.__code__.co_varnames if not hasattr(check, "hypothesis") else ("name",)
    check(plain, **({"tmp_path": tmp_path} if "tmp_path" in takes else {}))


@pytest.mark.parametrize("way", [*corpora.WAYS, "every"])
@settings(test_formats.FEW, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_example_says_what_it_loses(way: str, plain: str, data: st.DataObject) -> None:
    assert list(test_formats.unnamed(plain, test_formats.drawn(plain, way, data))) == []


def test_the_example_reads_what_it_says(plain: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "n 1.txt").write_bytes("naïve".encode("latin-1"))
    read = formats.read(plain, tmp_path / "in", encoding="latin-1")
    assert list(read.iter_notes()) == [Note("n 1", "n 1", text="naïve")]
    assert isinstance(read, Corpus)
