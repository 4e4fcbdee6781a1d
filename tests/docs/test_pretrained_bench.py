"""What the benchmark of pretrained encoders keeps of its folds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench import pretrained

from auscult.core import Note
from auscult.corpus.corpus import Chart


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The folds that were trained, each by its number of reports."""
    trained: list[int] = []

    def count_fold(
        _charts: Any, _inside: Any, outside: list[int], *_given: Any
    ) -> list[tuple[int, int, int]]:
        trained.append(len(outside))
        return [(1, 0, len(trained))] * len(outside)

    monkeypatch.setattr(pretrained, "count_fold", count_fold)
    return trained


def measured(work: Path, corpus: str) -> list[list[float]]:
    charts = [Chart(f"c{at}", (Note(f"n{at}", f"c{at}", text="x"),), ()) for at in range(4)]
    counts, _ = pretrained.measured(charts, corpus, "linear", {}, 2, 0, work)
    return [list(map(float, one)) for one in counts]


def test_folds_of_another_corpus_are_not_taken_for_its_own(
    tmp_path: Path, counted: list[int]
) -> None:
    first = measured(tmp_path, "one")
    assert counted == [2, 2]
    assert measured(tmp_path, "one") == first
    assert counted == [2, 2]
    assert measured(tmp_path, "other") != first
    assert counted == [2, 2, 2, 2]


def test_a_fold_that_was_half_written_is_measured_again(
    tmp_path: Path, counted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.write_text

    def dies(self: Path, text: str, *given: Any, **named: Any) -> int:
        real(self, text[: len(text) // 2], *given, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", dies)
        with pytest.raises(KeyboardInterrupt):
            measured(tmp_path, "one")
    assert len(measured(tmp_path, "one")) == 4
    assert counted == [2, 2, 2]
