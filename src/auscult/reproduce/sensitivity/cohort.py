"""The readmission task, the two classifiers that learnt it, and which words move them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from auscult.audit.discrimination import Discrimination, discrimination
from auscult.audit.published import rankings, table
from auscult.audit.ratings import Ratings, read_ratings
from auscult.audit.run import Audit, Plan, audit
from auscult.coders.coder import Coder
from auscult.coders.runs import train
from auscult.corpus import Corpus, formats
from auscult.corpus.readmission import READMITTED, Task, readmission
from auscult.learning.source import corpus_digest
from auscult.reproduce import hospital
from auscult.reproduce.contract import Basis, Used
from auscult.reproduce.work import Work

Model = Literal["bert", "trees"]
NAMES: Mapping[Model, str] = {"bert": "BioClinicalBERT", "trees": "tf-idf+xgb"}
MIMIC = "MIMIC-III (PhysioNet, credentialed)"
BERT = "Bio_ClinicalBERT (open, from the hub)"
STAND_IN = (
    "discharge summaries of the synthetic hospital; for the language model a small BERT trained "
    "on them, unless --bert is given"
)
_SUMMARY = "Discharge summary"
_TREES = {
    "depth": 3, "learning_rate": 0.04, "gamma": 9.0, "ridge": 4.5, "least_weight": 4.0,
    "positive_weight": 16.0, "rounds": 100,
}  # fmt: skip
"""What the paper's group published for the same task."""
_BERT = {"balanced": True, "best_by": "loss", "recall": 0.7, "calibrated": False}
"""Not calibrated, for the paper swaps words under the score as the network gives it."""
_OTHER_SEED = 1


@dataclass(frozen=True, slots=True)
class Cohort:
    """Discharge notes with their outcomes."""

    corpus: Corpus = field(repr=False)
    used: Used
    notes: int
    positive: int


def cohort(work: Work) -> Cohort:
    """MIMIC-III's if it is given, and otherwise the hospital's; split by note, as the paper's."""
    given = work.sources.get("mimic3")
    if given is not None:
        used = work.used("MIMIC-III", Basis.REAL, "MIMIC-III's tables as published", given)
        return _made(work, given, used)
    return _made(work, hospital.hospital(work) / "mimic3", hospital.used(work, "mimic3"))


def elsewhere(work: Work) -> Cohort:
    """The notes of another hospital, which no coder has seen."""
    given = work.sources.get("second")
    if given is not None:
        used = work.used("second hospital", Basis.STAND_IN, "the second hospital given", given)
        return _made(work, given, used)
    folder = hospital.made(work, work.scale.second_patients, _OTHER_SEED)
    said = f"another synthetic hospital, of {work.scale.second_patients:,} patients (seed 1)"
    used = work.used("second hospital", Basis.STAND_IN, said, folder / "mimic3")
    return _made(work, folder / "mimic3", used)


def basis(work: Work, model: Model) -> Basis:
    """Real when the notes are, and for the language model, when it is the paper's."""
    is_real = work.sources.get("mimic3") is not None
    if model == "bert" and work.sources.get("bert") is None:
        is_real = False
    return Basis.REAL if is_real else Basis.STAND_IN


def coders(work: Work, model: Model) -> dict[int, Path]:
    """The places of the coders, by seed; those that are there are not learnt again."""
    here = cohort(work)
    seeds = work.scale.trees if model == "trees" else work.scale.bert_seeds
    kind = "tfidf-xgboost" if model == "trees" else "transformer"
    config = _TREES if model == "trees" else _bert(work)
    made = {}
    for seed in seeds:
        about = {"config": config, "seed": seed, "corpus": corpus_digest(here.corpus)}
        place = work.place(f"readmission-{model}", about)
        if not place.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                train(here.corpus, place, kind, config, seed=seed)
        made[seed] = place
    return made


def discriminations(
    work: Work, model: Model, on: Cohort, *, split: str | None
) -> list[Discrimination]:
    """How well the coder of each seed tells who was readmitted."""
    part = on.corpus if split is None else on.corpus.select(splits=[split])
    name = f"discrimination {model} {on.used.digest} {split}"
    times = work.scale.resamples
    return work.once(
        name,
        lambda: [
            discrimination(Coder.load(place), part, READMITTED, times=times)
            for place in coders(work, model).values()
        ],
    )


def audited(work: Work, model: Model) -> tuple[Audit, Audit]:
    """What words do to the coder of the first seed: first occurrences replaced, and all of them."""
    return work.once(f"audit {model}", lambda: _audited(work, model))


def clinicians(work: Work) -> Ratings:
    """How much words matter: the paper's clinicians, or on a stand-in those of the hospital."""
    if work.sources.get("mimic3") is not None:
        return Ratings({row["word"]: -row["manual"] for row in rankings().iter_rows(named=True)})
    return read_ratings(hospital.hospital(work) / "ratings" / "clinicians.csv")


def language_model(work: Work) -> Path:
    """A clinical BERT if it is given, or a small one trained on the training notes."""
    given = work.sources.get("bert")
    if given is not None:
        return given
    from auscult.audit.mlm_training import Small, train_mlm

    here, steps = cohort(work), work.scale.language_model
    about = {"corpus": corpus_digest(here.corpus), "steps": steps}

    def make(out: Path) -> None:
        training = here.corpus.select(splits=["train"])
        texts = [note.text for note in training.iter_notes() if note.text]
        train_mlm(texts, out, small=Small(3000, 64, batch=16, steps=steps))

    return work.kept("language-model", about, make)


def words(work: Work) -> tuple[str, ...]:
    """The words of all tables, and those that the hospital's clinicians rated."""
    named = [word for at in range(4, 10) for word in table(f"table{at}")["word"]]
    return tuple(dict.fromkeys([*named, *clinicians(work).importance]))


def _made(work: Work, tables: Path, used: Used) -> Cohort:
    def make(out: Path) -> None:
        read = formats.read("mimic3", tables, categories=(_SUMMARY,))
        with warnings.catch_warnings():
            # Notes of one patient are in several splits, as they are in the paper.
            warnings.simplefilter("ignore", UserWarning)
            readmission(read, Task(by="note")).corpus.write(out)

    corpus = Corpus.open(work.kept("readmission", {"of": used.digest}, make))
    notes = corpus.manifest.files["notes.parquet"].rows
    positive = corpus.manifest.files["annotations.parquet"].rows
    return Cohort(corpus, used, notes, positive)


def _bert(work: Work) -> dict[str, Any]:
    return {**_BERT, **work.scale.bert, "model": str(language_model(work).resolve())}


def _audited(work: Work, model: Model) -> tuple[Audit, Audit]:
    from auscult.audit.filters.context import InContext
    from auscult.audit.mlm import MaskedModel

    here = cohort(work)
    charts = list(here.corpus.select(splits=["test"], annotators=[]).charts())
    coder = next(iter(coders(work, model).values()))
    chosen = charts[: work.scale.audited]
    context = work.once("context", lambda: InContext(MaskedModel.load(language_model(work)), 5))
    found = []
    for swap in ("first", "all"):
        about = {"coder": coder.name, "swap": swap, "charts": len(chosen)}
        place = work.place("audit", about)
        place.mkdir(exist_ok=True)
        plan = Plan(READMITTED, words(work), swap, times=work.scale.resamples)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found.append(
                audit(coder, chosen, plan, place, ratings=clinicians(work), context=context)
            )
    return found[0], found[1]
