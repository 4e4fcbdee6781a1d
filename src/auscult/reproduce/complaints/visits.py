"""Emergency visits with a short text each, and texts written from their records."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass, field

from auscult.core.dice import shuffled
from auscult.corpus import Corpus, formats
from auscult.corpus.split import split_at_random
from auscult.learning.source import corpus_digest
from auscult.reproduce import hospital
from auscult.reproduce.contract import Basis, Used
from auscult.reproduce.work import Work
from auscult.writers.contract import Decoding
from auscult.writers.fitting import train
from auscult.writers.generating import generate
from auscult.writers.writer import Writer

NEEDS = (
    "the emergency records of New York City, which are not public; the main paper's results are "
    "not part of the supplement"
)
STAND_IN = (
    "emergency records of the synthetic hospital; with --neiss the injury visits that the US CPSC "
    "publishes"
)
_LEE = {"record_at": "once"}
"""The paper's LSTM sees the record before the first word and never again."""
_SHARES = {"train": 0.7, "dev": 0.1, "test": 0.2}


@dataclass(frozen=True, slots=True)
class Visits:
    """Visits with their texts, split, and the variable that a classifier tells from them."""

    corpus: Corpus = field(repr=False)
    variable: str
    used: Used


def visits(work: Work) -> Visits:
    """Injury visits if they are given, and otherwise the hospital's emergency visits."""
    given = work.sources.get("neiss")
    if given is not None:
        said = "injury visits published by the US CPSC (NEISS)"
        used = work.used("NEISS", Basis.STAND_IN, said, given)
        variable = "body_part"
    else:
        used = hospital.used(work, "emergency")
        variable = "ccs"
    most = work.scale.records

    def make(out: object) -> None:
        if given is not None:
            read = formats.read("neiss", given)
        else:
            place = hospital.hospital(work) / "emergency" / "records.csv"
            read = formats.read(
                "csv", place, note_id="record_id", text="chief_complaint", records=True
            )
        kept = shuffled(sorted(read.chart_ids()), random.Random(0))[:most]
        split_at_random(read.select(charts=kept), _SHARES).write(str(out))

    place = work.kept("visits", {"of": used.digest, "records": most}, make)
    return Visits(Corpus.open(place), variable, used)


def writer(work: Work, there: Visits) -> Writer:
    """The paper's LSTM, learnt from the training visits."""
    config = {**_LEE, **work.scale.writer}
    about = {"config": config, "corpus": corpus_digest(there.corpus)}
    place = work.place("writer", about)
    if not place.exists():
        train(there.corpus, place, "lstm", config)
    return Writer.load(place)


def written(work: Work, there: Visits) -> Corpus:
    """A text for every test visit, by beam search."""
    about = {"config": {**_LEE, **work.scale.writer}, "corpus": corpus_digest(there.corpus)}

    def make(out: object) -> None:
        test = there.corpus.select(splits=["test"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            generate(writer(work, there), test, Decoding()).write(str(out))

    return Corpus.open(work.kept("written", about, make))


def values(there: Visits) -> int:
    """How many values the variable has in training visits."""
    records = there.corpus.records
    assert records is not None  # visits are read with their records
    return records.select(there.variable).collect()[there.variable].n_unique()
