"""Models survive charts that hold next to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.core import Annotation, Code, Note
from auscult.corpus.corpus import Corpus
from auscult.models.fitting import fit
from auscult.models.model import Model

TEXTS = {
    "stop words": ["and the of"] * 20,
    "the same word": ["fever"] * 20,
    "a word that no other chart has": [f"w{at}x" for at in range(20)],
}


@pytest.mark.filterwarnings("ignore:No chart to tune on has evidence")
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("kind", ["linear", "lexicon", "policy", "radiology"])
def test_text_that_decides_nothing_still_makes_a_model(
    kind: str, texts: list[str], tmp_path: Path
) -> None:
    notes = [Note(f"n{at}", f"n{at}", text=text) for at, text in enumerate(texts)]
    values = ["A", "A", "A", "B"] * 5
    gold = [Annotation("gold", Code("mine", v), f"n{at}") for at, v in enumerate(values)]
    fit(Corpus.of(notes, gold), kind).save(tmp_path / "model")
    model = Model.load(tmp_path / "model")
    said = list(model.predict([Note("n", "n", text="zebra")], never_empty=True))
    assert {one.code.value for one in said} <= {"A", "B"}
    assert said
    assert said[0].code.value == "A"
