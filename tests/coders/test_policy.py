"""The coding guidelines as rules over any coder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from auscult.coders.coder import Coder
from auscult.coders.contract import Configuration, Pointed, Reading, Wanted
from auscult.coders.fitting import fit
from auscult.coders.policy import RULES, Policy
from auscult.coders.sequence import ChartText, read_chart
from auscult.coders.symptoms import explains
from auscult.core import Annotation, AuscultError, Code, Note, OptionError
from auscult.corpus.corpus import Corpus

ICD10 = "ICD-10-CM"
PNEUMONIA, COUGH, ASTHMA = (Code(ICD10, value) for value in ("J18.9", "R05", "J45.909"))


class Finder:
    """Gives each code 0.9 wherever its word stands."""

    config_type: ClassVar[type[Configuration]] = Configuration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 5
    held_out: Sequence[Reading] = ()

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    @classmethod
    def fit(cls, *_given: Any, **_more: Any) -> Finder:
        raise NotImplementedError

    def read(self, texts: Iterable[ChartText], wanted: Wanted) -> Iterator[Reading]:
        for text in texts:
            scores = np.array([0.9 * (word in text.words) for word in self._words], np.float32)
            evidence = {
                code: Pointed.words(np.array([w == self._words[code] for w in text.words], "f4"))
                for code in wanted(text, scores).tolist()
            }
            yield Reading(text, scores, evidence)

    def save(self, directory: Path) -> None:
        raise NotImplementedError

    @classmethod
    def load(cls, *_given: Any) -> Finder:
        raise NotImplementedError


def scores(text: str, rules: Sequence[str], **learnt: Any) -> list[float]:
    """What is left of 0.9 for pneumonia and for cough."""
    policy = Policy(
        Finder(["pneumonia", "cough"]),
        rules,
        learnt.get("explained", {1: np.array([0])}),
        learnt.get("longer", {}),
    )
    chart = read_chart("c", [Note("n", "c", text=text)])
    (reading,) = policy.read([chart], lambda _text, _scores: np.arange(2))
    assert set(reading.evidence) == {0, 1}
    return [round(float(score), 3) for score in reading.scores]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("negated", "No evidence of pneumonia. Has a cough."),
        ("uncertain", "Possible pneumonia. Has a cough."),
        ("uncertain", "Return if you have pneumonia. Has a cough."),
        ("family", "Her mother has pneumonia.\nShe has a cough."),
    ],
)
def test_what_is_not_asserted_is_not_coded(rule: str, text: str) -> None:
    assert scores(text, [rule])[0] < 0.01
    assert scores(text, [rule])[1] == 0.9
    others = [other for other in RULES if other not in (rule, "symptoms")]
    assert scores(text, others)[0] == 0.9


def test_one_place_that_asserts_it_is_enough() -> None:
    text = "Possible pneumonia. The film shows pneumonia. It is pneumonia. Has a cough."
    assert scores(text, ["negated", "uncertain"])[0] == 0.9


def test_a_symptom_is_not_coded_beside_what_explains_it() -> None:
    assert scores("Pneumonia with cough.", ["symptoms"]) == [0.9, 0.09]
    assert scores("Cough only.", ["symptoms"]) == [0.0, 0.9]
    assert scores("Pneumonia with cough.", []) == [0.9, 0.9]


def test_what_is_ruled_out_explains_nothing() -> None:
    pneumonia, cough = scores("Cough without pneumonia.", RULES)
    assert pneumonia < 0.01
    assert cough > 0.89


def test_a_code_with_too_few_digits_gives_way_to_the_longer_one() -> None:
    assert scores("Pneumonia.", ["digits"], longer={0: 1}) == [0.001, 0.9]
    assert scores("Pneumonia.", ["digits"], longer={0: None}) == [0.001, 0.0]


def test_diagnoses_explain_the_symptoms_of_their_system() -> None:
    assert explains(PNEUMONIA, COUGH)
    assert explains(PNEUMONIA, Code(ICD10, "R50.9"))
    assert not explains(ASTHMA, Code(ICD10, "R50.9"))
    assert not explains(PNEUMONIA, Code(ICD10, "R10.9"))
    assert not explains(PNEUMONIA, Code("ICD-9-CM", "786.2"))
    assert explains(Code("ICD-9-CM", "599.0"), Code("ICD-9-CM", "780.6"))
    assert not explains(Code("ICD-9-CM", "599.7"), Code("ICD-9-CM", "780.6"))


def ward(beside: float) -> Corpus:
    """Charts of cough, of pneumonia with a cough that is coded or not, of a spine (two lengths)."""
    notes: list[Note] = []
    annotations: list[Annotation] = []

    def add(text: str, *codes: str) -> None:
        name = f"c{len(notes)}"
        notes.append(Note(name, name, name, text=text))
        annotations.extend(Annotation("gold", Code(ICD10, code), name, name) for code in codes)

    for number in range(40):
        add("Cough for a week.", "R05")
        also = ["R05"] if number < beside * 40 else []
        add("Cough. The film shows pneumonia.", "J18.9", *also)
        add("Open spine at the back.", "Q05.90" if number < 30 else "Q05.9")
        add("Cough. No pneumonia on the film.", "R05")
    return Corpus.of(notes, annotations)


@pytest.mark.filterwarnings("ignore:No chart to tune on has evidence")
def test_training_charts_say_what_is_an_exception_and_what_is_too_short() -> None:
    text = "Cough. The film shows pneumonia."
    for beside, is_kept in ((0.0, False), (1.0, True)):
        coder = fit(ward(beside), "policy", {"coder": "linear"})
        given = {one.code.value for one in coder.code([Note("n", "n", text=text)])}
        assert "J18.9" in given
        assert ("R05" in given) == is_kept
        spine = {
            one.code.value for one in coder.code([Note("n", "n", text="Open spine at the back.")])
        }
        assert "Q05.90" in spine
        assert "Q05.9" not in spine


def test_the_rules_are_saved_with_the_coder(toy: Callable[..., Corpus], tmp_path: Path) -> None:
    coder = fit(toy(), "policy", {"coder": "lexicon", "rules": ["negated", "family"]})
    coder.save(tmp_path / "coder")
    loaded = Coder.load(tmp_path / "coder")
    denied = [Note("n", "n", text="There is no hypertension on examination.")]
    stated = [Note("n", "n", text="Today there is hypertension which is treated.")]
    for one in (coder, loaded):
        assert not [a for a in one.code(denied) if a.code.value == "I10"]
        assert [a for a in one.code(stated) if a.code.value == "I10"]
    (tmp_path / "coder" / "policy.json").write_text("{")
    with pytest.raises(AuscultError, match="does not hold a whole policy"):
        Coder.load(tmp_path / "coder")


def test_what_cannot_be_is_said(toy: Callable[..., Corpus]) -> None:
    with pytest.raises(OptionError, match="'policy' cannot be wrapped; choose from"):
        fit(toy(), "policy", {"coder": "policy"})
    with pytest.raises(OptionError, match="no rule 'negation'; choose from negated"):
        fit(toy(), "policy", {"rules": ["negation"]})
