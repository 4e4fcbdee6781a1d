"""Emergency visits with a short text each, and texts generated from their records."""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from auscult.core.randomness import shuffled
from auscult.corpus import Corpus, formats
from auscult.corpus.provenance import corpus_digest
from auscult.corpus.split import split_at_random
from auscult.generators.contract import TextDecoding
from auscult.generators.fitting import train_generator
from auscult.generators.generator import TextGenerator
from auscult.generators.synthetic_corpus import generate
from auscult.reproduce import hospital
from auscult.reproduce.commands import auscult, chosen
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.work import Workspace

NEEDS = (
    "New York City's emergency records, which are not public; the main paper's "
    "results are not in the supplement"
)
STAND_IN = (
    "emergency records of the synthetic hospital; with --neiss the injury visits "
    "published by the US CPSC"
)
_LEE = {"record_at": "once"}
"""The paper's LSTM is given the record once, before the first word."""
_SHARES = {"train": 0.7, "dev": 0.1, "test": 0.2}


@dataclass(frozen=True, slots=True)
class Visits:
    """Visits with their texts, split, and the variable that a classifier predicts from them."""

    corpus: Corpus = field(repr=False)
    variable: str
    used: UsedData
    place: Path


def visits(work: Workspace) -> Visits:
    """Injury visits if they are given, and otherwise the hospital's emergency visits."""
    given = work.sources.get("neiss")
    if given is not None:
        description = "injury visits published by the US CPSC (NEISS)"
        used = work.used("NEISS", Basis.OPEN, description, given)
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
    return Visits(Corpus.open(place), variable, used, place)


def to_write(work: Workspace, there: Visits) -> tuple[str, ...]:
    """The commands that train the generator on the visits of the run, and write the texts."""
    config = {**_LEE, **work.scale.generator}
    return (
        auscult(
            "generate", "train", there.place, "generator", "--generator", "lstm", *chosen(config)
        ),
        auscult("generate", "texts", "generator", there.place, "written", "--split", "test"),
    )


def to_evaluate(work: Workspace, there: Visits) -> tuple[str, ...]:
    """The commands that write the texts and compare them with the authentic ones."""
    times = work.scale.resamples
    compared = auscult(
        "generate", "evaluate", there.place, "written", "--bootstrap", times, "--json"
    )
    return (*to_write(work, there), compared)


def generator(work: Workspace, there: Visits) -> TextGenerator:
    """The paper's LSTM, trained on the training visits."""
    config = {**_LEE, **work.scale.generator}
    about = {"config": config, "corpus": corpus_digest(there.corpus)}
    place = work.place("generator", about)
    if not place.exists():
        train_generator(there.corpus, place, "lstm", config)
    return TextGenerator.load(place)


def written(work: Workspace, there: Visits) -> Corpus:
    """A text for every test visit, by beam search."""
    about = {"config": {**_LEE, **work.scale.generator}, "corpus": corpus_digest(there.corpus)}

    def make(out: object) -> None:
        test = there.corpus.select(splits=["test"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            generate(generator(work, there), test, TextDecoding()).write(str(out))

    return Corpus.open(work.kept("written", about, make))


def values(there: Visits) -> int:
    """How many values the variable has in training visits."""
    records = there.corpus.lazy_records
    assert records is not None  # visits are read with their records
    return records.select(there.variable).collect()[there.variable].n_unique()
