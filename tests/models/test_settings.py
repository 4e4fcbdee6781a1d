"""Settings that are missing are asked for in one sentence, with what to pass."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, Field

from auscult.core import OptionError
from auscult.learning.settings import configured


class _Needy(BaseModel):
    bare: int
    told: str = Field(description="Where it is.")


def refused(settings: dict[str, object]) -> str:
    with pytest.raises(OptionError) as caught:
        configured(_Needy, "model needy", settings)
    return str(caught.value)


def test_a_missing_setting_is_asked_for_with_its_example() -> None:
    class Sourced(BaseModel):
        source: str = Field(description="Folder with notes.", examples=["notes/2026"])

    with pytest.raises(OptionError) as caught:
        configured(Sourced, "model sourced", {})
    assert str(caught.value) == (
        "The model sourced needs the setting source (folder with notes), which has no default: "
        "pass --set source=notes/2026, or in Python {'source': 'notes/2026'}."
    )


def test_any_missing_setting_is_asked_for_in_plain_words() -> None:
    assert refused({"told": "x"}) == (
        "The model needy needs the setting bare, which has no default: pass --set bare=VALUE, or "
        "in Python {'bare': 'VALUE'}."
    )
    assert "needs the setting told (where it is), which" in refused({"bare": 1})
    assert refused({"told": "x", "bare": "y"}).startswith("Setting bare of the model needy: ")
