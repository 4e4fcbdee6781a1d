"""Word vectors in word2vec's text format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from auscult.core import FormatError
from auscult.learning.word_vocabulary import PADDING, WordVocabulary
from auscult.models.neural.word2vec import start_from_vectors

KNOWN = WordVocabulary(("cough", "fever", "gout"))


def start(file: Path, text: str) -> tuple[int, torch.Tensor, torch.Tensor]:
    file.write_text(text, encoding="utf-8")
    torch.manual_seed(0)
    embedding = nn.Embedding(len(KNOWN), 3, padding_idx=PADDING)
    before = embedding.weight.detach().clone()
    return start_from_vectors(embedding, KNOWN, file), before, embedding.weight.detach()


@pytest.mark.parametrize("header", ["", "3 3\n"])
def test_known_words_take_the_direction_of_their_vectors(header: str, tmp_path: Path) -> None:
    text = header + "gout 1 2 3\nsneeze 9 9 9\nfever -0.1 0 1e-1\n"
    count, before, after = start(tmp_path / "v.txt", text)
    assert count == 2
    for word, vector in (("gout", (1.0, 2.0, 3.0)), ("fever", (-0.1, 0.0, 0.1))):
        (place,) = KNOWN.places([word])
        wanted = torch.tensor(vector)
        assert torch.cosine_similarity(after[place], wanted, dim=0) > 0.9999
    untouched = [0, 1, *KNOWN.places(["cough"])]
    assert torch.equal(after[untouched], before[untouched])
    assert np.isclose(after[KNOWN.places(["gout", "fever"])].std(), 1, atol=1e-4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gout 1 2\n", "row 1: expected a word and 3 numbers"),
        ("3 3\ngout 1 2 3 4\n", "row 2: expected a word and 3 numbers"),
        ("3 3\n\n", "row 2: expected"),
        ("gout 1 2 x\n", "row 1: expected numbers"),
        ("gout 1 2 nan\n", "row 1: a number of the vector is not finite"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=said):
        start(tmp_path / "v.txt", text)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        start_from_vectors(nn.Embedding(5, 3), KNOWN, tmp_path / "none.txt")
