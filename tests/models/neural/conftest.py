"""A tiny world: each code has a sign, two words that stand next to each other in a chart."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from auscult.core import Code, Note
from auscult.models.chart_text import read_chart
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace

torch = pytest.importorskip("torch")

CODES = ("401.9", "250.00", "428.0")
SIGNS = (("hypertension", "severe"), ("diabetes", "mellitus"), ("heart", "failure"))
FILLERS = ("was", "seen", "in", "clinic", "and", "went", "home", "with", "her", "son", "of", "rain")

Make = Callable[..., list[Example]]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def labels() -> LabelSpace:
    return LabelSpace(tuple(Code("ICD-9-CM", value) for value in CODES), (1,) * len(CODES))


@pytest.fixture
def charts() -> Make:
    return make_charts


def make_charts(count: int, *, seed: int = 0, pointed: float = 1.0) -> list[Example]:
    """Charts with one or two codes each; a share of them has evidence."""
    dice = random.Random(seed)
    return [_chart(f"c{at}", dice, pointed) for at in range(count)]


def make_chart(name: str, words: Sequence[str], codes: Sequence[int] = ()) -> Example:
    text = read_chart(name, [Note(f"n{name}", name, text=" ".join(words))])
    return Example(text, np.array(sorted(codes), np.int64))


def _chart(name: str, dice: random.Random, pointed: float) -> Example:
    codes = sorted(dice.sample(range(len(CODES)), dice.choice((1, 2))))
    words = dice.choices(FILLERS, k=dice.randrange(12, 40))
    places = sorted(dice.sample(range(len(words)), len(codes)), reverse=True)
    for place, code in zip(places, codes, strict=True):
        words[place:place] = SIGNS[code]
    made = make_chart(name, words, codes)
    if dice.random() >= pointed:
        return made
    evidence = {
        code: np.array([[words.index(SIGNS[code][0]), words.index(SIGNS[code][0]) + 2]], np.int32)
        for code in codes
    }
    return Example(made.text, made.codes, evidence)
