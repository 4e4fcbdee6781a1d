"""The table that commands print for people."""

from __future__ import annotations

import pytest

from auscult.cli.output import paragraph, table

NAME = "macro_f1_from_macro_precision_and_recall_over_gold_codes"


def test_a_long_name_is_broken_between_its_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    table(None, ["", "first", "second", "95%"], [[NAME, "0.659", "0.660", "+0.000 to +0.002"]])
    printed = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert "".join(printed) == NAME
    assert all(part.endswith("_") for part in printed[:-1])
    assert max(map(len, printed)) > len("macro_precision_")


def test_a_name_that_has_room_stays_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    table(None, ["", "value"], [[NAME, "0.659"]])
    assert NAME in capsys.readouterr().out


@pytest.mark.parametrize("columns", [80, 100])
def test_a_long_line_is_broken_between_words(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    said = f"undefined: {', '.join([NAME] * 4)}: the predictions have no codes below the threshold."
    paragraph(said)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(line.strip() for line in lines) == said
