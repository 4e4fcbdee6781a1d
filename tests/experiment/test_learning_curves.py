"""A learning curve trains one model for each fraction of the evidence, and none of them twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contracts.test_models import ward

from auscult.core import OptionError
from auscult.experiment import learning_curve


def test_a_curve_has_a_model_for_each_fraction_and_trains_none_again(tmp_path: Path) -> None:
    corpus = ward(60)
    curve = list(learning_curve(corpus, tmp_path, "lexicon", fractions=[0.5, 1]))
    assert [fraction for fraction, _ in curve] == [0.5, 1]
    assert [model.config.model_dump()["evidence_fraction"] for _, model in curve] == [0.5, 1]
    saved = [tmp_path / name / "model.json" for name in ("fraction-0.5", "fraction-1")]
    before = [file.stat().st_mtime_ns for file in saved]
    again = list(learning_curve(corpus, tmp_path, "lexicon", fractions=[0.5, 1]))
    assert [model.about for _, model in again] == [model.about for _, model in curve]
    assert [file.stat().st_mtime_ns for file in saved] == before


def test_a_model_of_another_training_is_not_taken_for_a_point_of_the_curve(tmp_path: Path) -> None:
    corpus = ward(60)
    list(learning_curve(corpus, tmp_path, "lexicon", fractions=[1]))
    other = learning_curve(corpus, tmp_path, "lexicon", {"min_count": 2}, fractions=[1])
    with pytest.raises(OptionError, match="fraction-1 was trained with another configuration"):
        list(other)
