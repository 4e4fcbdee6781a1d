"""Settings that are missing are asked for in one sentence, with what to pass."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, Field

from auscult.core import OptionError
from auscult.learning.settings import configured
from auscult.models.fitting import configure


class _Needy(BaseModel):
    bare: int
    told: str = Field(description="Where it is.")


def refused(settings: dict[str, object]) -> str:
    with pytest.raises(OptionError) as caught:
        configured(_Needy, "model needy", settings)
    return str(caught.value)


def test_a_transformer_asks_for_its_encoder() -> None:
    with pytest.raises(OptionError) as caught:
        configure("transformer", {})
    assert str(caught.value) == (
        "The model transformer needs the setting encoder (pretrained encoder: a directory, or a "
        "name on the Hugging Face hub), which has no default: pass --set "
        "encoder=emilyalsentzer/Bio_ClinicalBERT, or in Python {'encoder': "
        "'emilyalsentzer/Bio_ClinicalBERT'}."
    )


def test_any_missing_setting_is_asked_for_in_plain_words() -> None:
    assert refused({"told": "x"}) == (
        "The model needy needs the setting bare, which has no default: pass --set bare=VALUE, or "
        "in Python {'bare': 'VALUE'}."
    )
    assert "needs the setting told (where it is), which" in refused({"bare": 1})
    assert refused({"told": "x", "bare": "y"}).startswith("Setting bare of the model needy: ")
