"""A word planted beside a code, to test whether an audit detects a model that relies on it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from auscult.core import Code, Note, OptionError
from auscult.corpus.corpus import Corpus


def plant(
    corpus: Corpus,
    word: str,
    code: Code,
    *,
    having: float = 0.9,
    lacking: float = 0.05,
    seed: int = 0,
) -> Corpus:
    """The corpus with a word added to most charts that have a code and to few of the others.

    The word is put on a line of its own at the end of each note of the chart, where it moves no
    span. The seed and the chart ids decide which charts get it.

    >>> from auscult.core import Annotation
    >>> sick = Annotation("gold", Code("outcome", "readmitted"), "a")
    >>> notes = [Note("1", "a", text="Ill."), Note("2", "b", text="Well.")]
    >>> made = plant(Corpus.of(notes, [sick]), "azure", sick.code, having=1, lacking=0)
    >>> [note.text for note in made.iter_notes()]
    ['Ill.\\nazure\\n', 'Well.']
    """
    if not word.strip():
        raise OptionError("The word to plant must not be blank.")
    charts = {one.chart_id for one in corpus.iter_annotations() if one.code == code}

    def planted() -> Iterator[Note]:
        for note in corpus.iter_notes():
            share = having if note.chart_id in charts else lacking
            if note.text and random.Random(f"{seed}/{note.chart_id}").random() < share:
                yield replace(note, text=f"{note.text.rstrip()}\n{word}\n")
            else:
                yield note

    return replace(corpus, lazy_notes=Corpus.of(planted()).lazy_notes, path=None)
