"""The nearest vectors, exactly and by a graph."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from auscult.core import AuscultError, MissingExtraError
from auscult.models.semantic import vector_index
from auscult.models.semantic.vector_index import FILE, Halves, open_index, write_graph


def vectors(count: int = 600, width: int = 16) -> Halves:
    made = np.random.default_rng(0).normal(size=(count, width))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made.astype(np.float16)


def sorted_out(table: Halves, query: int, most: int) -> list[int]:
    """The nearest rows by sorting all."""
    cosines = table.astype(np.float64) @ table[query].astype(np.float64)
    return sorted(range(len(table)), key=lambda row: -cosines[row])[:most]


def test_few_are_searched_exactly(tmp_path: Path) -> None:
    table = vectors()
    rows, cosines = open_index(table, tmp_path).nearest(table[:5].astype(np.float32), 7)
    assert rows.tolist() == [sorted_out(table, query, 7) for query in range(5)]
    assert np.allclose(cosines[:, 0], 1, atol=2e-3)
    assert (np.diff(cosines, axis=1) <= 0).all()
    assert open_index(table[:3], tmp_path).nearest(table[:1].astype(np.float32), 9)[0].shape[1] == 3


def test_many_are_searched_by_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "EXACT", 100)
    table = vectors()
    write_graph(table, tmp_path / FILE)
    made = open_index(table, tmp_path)
    rows, cosines = made.nearest(table[:50].astype(np.float32), 10)
    shared = [len({*found} & {*sorted_out(table, q, 10)}) for q, found in enumerate(rows.tolist())]
    assert sum(shared) / 500 > 0.95
    assert rows[:, 0].tolist() == list(range(50))
    assert np.allclose(cosines[:, 0], 1, atol=2e-3)
    first = (tmp_path / FILE).read_bytes()
    write_graph(table, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == first


def test_a_damaged_graph_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "EXACT", 100)
    with pytest.raises(AuscultError, match="missing or damaged"):
        open_index(vectors(), tmp_path)
    write_graph(vectors(300), tmp_path / FILE)
    with pytest.raises(AuscultError, match="missing or damaged"):
        open_index(vectors(), tmp_path)


def test_many_need_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "EXACT", 100)
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    with pytest.raises(MissingExtraError, match=r"auscult\[semantic\]"):
        open_index(vectors(), tmp_path)
