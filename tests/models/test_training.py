"""Training into a directory: what is there already is used again only if it is the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import auscult
from auscult.core import OptionError
from auscult.corpus.corpus import Corpus
from auscult.corpus.provenance import corpus_digest
from auscult.models.training import train_runs

Toy = Callable[..., Corpus]


def test_a_finished_run_is_used_again_only_for_the_same_corpus_in_memory(
    toy: Toy, tmp_path: Path
) -> None:
    corpus = toy(40)
    [first] = train_runs(corpus, tmp_path, "lexicon", seeds=[0])
    [again] = train_runs(toy(40), tmp_path, "lexicon", seeds=[0])
    assert again.about == first.about
    other = Corpus.of(
        (replace(note, text=f"{note.text} Cough.") for note in corpus.iter_notes()),
        corpus.iter_annotations(),
    )
    with pytest.raises(OptionError, match="was trained with another corpus"):
        list(train_runs(other, tmp_path, "lexicon", seeds=[0]))


def test_every_run_has_its_seed(toy: Toy, tmp_path: Path) -> None:
    runs = list(auscult.train_runs(toy(40), tmp_path, "lexicon", seeds=[61, 24]))
    assert [one.about.seed for one in runs] == [61, 24]
    assert sorted(place.name for place in tmp_path.iterdir()) == ["seed-24", "seed-61"]
    with pytest.raises(OptionError, match="The seed 24 is given twice"):
        list(auscult.train_runs(toy(40), tmp_path, "lexicon", seeds=[24, 61, 24]))


def test_a_part_of_a_corpus_on_disk_is_not_the_whole(toy: Toy, tmp_path: Path) -> None:
    whole = toy(40).write(tmp_path / "corpus")
    part = whole.select(splits=["train"])
    assert len({corpus_digest(one) for one in (whole, part, whole.select(splits=["dev"]))}) == 3
    assert corpus_digest(part) == corpus_digest(toy(40).select(splits=["train"]))
    assert corpus_digest(Corpus.open(tmp_path / "corpus")) == corpus_digest(whole)
