"""The sensitivity paper's stages: no model is audited by the one it was fine-tuned from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.reproduce.small import work_in

from auscult.audit.mlm import MaskedModel
from auscult.core import OptionError
from auscult.reproduce.sensitivity import cohort


def test_the_context_filter_has_a_language_model_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = work_in(tmp_path / "work")
    audited = cohort.models(work, "bert")[0]
    with pytest.raises(OptionError, match="was fine-tuned from this language model"):
        MaskedModel.load(cohort.language_model(work)).require_other_than(audited)
    given: list[MaskedModel] = []

    def noted(*_: Any, context: Any, **__: Any) -> None:
        given.append(context.model)

    monkeypatch.setattr(cohort, "audit", noted)
    cohort.audited(work, "bert")
    assert len(given) == 2
    for one in given:
        one.require_other_than(audited)
