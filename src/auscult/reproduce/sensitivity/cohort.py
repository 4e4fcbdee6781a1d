"""The readmission task, the two classifiers, and their word sensitivity."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from auscult.audit.discrimination import Discrimination, discrimination
from auscult.audit.published import rankings, table
from auscult.audit.ratings import ClinicianRatings, read_ratings
from auscult.audit.run import Audit, AuditPlan, audit
from auscult.corpus import Corpus, formats
from auscult.corpus.provenance import corpus_digest
from auscult.corpus.readmission import READMITTED, ReadmissionTask, readmission
from auscult.models.model import Model
from auscult.models.training import train
from auscult.reproduce import hospital
from auscult.reproduce.commands import auscult, chosen
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.work import Workspace

ModelName = Literal["bert", "trees"]
NAMES: Mapping[ModelName, str] = {"bert": "BioClinicalBERT", "trees": "tf-idf+xgb"}
MIMIC = "MIMIC-III (PhysioNet, credentialed)"
BERT = "Bio_ClinicalBERT (open, from the hub)"
STAND_IN = (
    "discharge summaries of the synthetic hospital; the language model is a small "
    "BERT trained on them, unless --bert is given; the context filter has one of its own"
)
_SUMMARY = "Discharge summary"
_TREES = {
    "max_depth": 3, "learning_rate": 0.04, "gamma": 9.0, "reg_lambda": 4.5, "min_child_weight": 4.0,
    "scale_pos_weight": 16.0, "n_estimators": 100,
}  # fmt: skip
"""What the paper's group published for the same task."""
_BERT = {
    "class_weight": "balanced",
    "metric_for_best_model": "loss",
    "target_recall": 0.7,
    "calibrate": False,
}
"""Not calibrated: the paper uses the raw score of the network."""
_OTHER_SEED = 1


@dataclass(frozen=True, slots=True)
class Cohort:
    """Discharge notes with their outcomes."""

    corpus: Corpus = field(repr=False)
    used: UsedData
    notes: int
    positive: int


def cohort(work: Workspace) -> Cohort:
    """MIMIC-III's if it is given, and otherwise the hospital's; split by note, as the paper's."""
    given = work.sources.get("mimic3")
    if given is not None:
        used = work.used("MIMIC-III", Basis.REAL, "MIMIC-III's tables as published", given)
        return _made(work, given, used)
    return _made(work, hospital.hospital(work) / "mimic3", hospital.used(work, "mimic3"))


def elsewhere(work: Workspace) -> Cohort:
    """The notes of another hospital, not used for training."""
    given = work.sources.get("second")
    if given is not None:
        used = work.used("second hospital", Basis.STAND_IN, "the second hospital given", given)
        return _made(work, given, used)
    folder = hospital.made(work, work.scale.second_patients, _OTHER_SEED)
    description = f"another synthetic hospital, of {work.scale.second_patients:,} patients (seed 1)"
    used = work.used("second hospital", Basis.STAND_IN, description, folder / "mimic3")
    return _made(work, folder / "mimic3", used)


def basis(work: Workspace, model: ModelName) -> Basis:
    """Real if the notes are, and for the language model, if it is the paper's."""
    is_real = work.sources.get("mimic3") is not None
    if model == "bert" and work.sources.get("bert") is None:
        is_real = False
    return Basis.REAL if is_real else Basis.STAND_IN


def by(work: Workspace, model: ModelName) -> str | None:
    """What is measured, where it is not the paper's model."""
    if model == "trees" or work.sources.get("bert") is not None:
        return None
    return f"a small BERT, pretrained for {work.scale.language_model:,} steps on these notes"


def models(work: Workspace, model: ModelName) -> dict[int, Path]:
    """The paths of the models, by seed; existing ones are reused."""
    here = cohort(work)
    kind, config, seeds = _recipe(work, model)
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


def to_train(work: Workspace) -> tuple[str, ...]:
    """The commands that label the same notes, and train both models with the same seeds."""
    given = work.sources.get("mimic3")
    made = [] if given is not None else [hospital.to_make(work)]
    tables = "hospital/mimic3" if given is None else given
    made.append(auscult("task", "readmission", tables, "readmission", "--by", "note"))
    for model in NAMES:
        kind, config, seeds = _recipe(work, model)
        made += [
            auscult(
                "train", "readmission", f"{model}/seed-{seed}", "--model", kind, *chosen(config),
                "--seed", seed,
            )
            for seed in seeds
        ]  # fmt: skip
    return tuple(made)


def to_score(work: Workspace, *, elsewhere: bool = False) -> tuple[str, ...]:
    """The commands that score both models on the test notes, and on another hospital's."""
    made = list(to_train(work))
    more: tuple[str, ...] = ()
    if elsewhere:
        given = work.sources.get("second")
        if given is None:
            patients = work.scale.second_patients
            made.append(hospital.command(patients, _OTHER_SEED, "second-hospital"))
        tables = "second-hospital/mimic3" if given is None else given
        made.append(auscult("task", "readmission", tables, "elsewhere", "--by", "note"))
        more = ("--external-corpus", "elsewhere")
    made += [
        auscult(
            "audit", "outcome", model, "readmission", "--code", "outcome", "readmitted", *more,
            "--bootstrap", work.scale.resamples, "--json",
        )
        for model in NAMES
    ]  # fmt: skip
    return tuple(made)


def discriminations(
    work: Workspace, model: ModelName, on: Cohort, *, split: str | None
) -> list[Discrimination]:
    """AUROC and AUPRC of the model of each seed."""
    part = on.corpus if split is None else on.corpus.select(splits=[split])
    name = f"discrimination {model} {on.used.digest} {split}"
    times = work.scale.resamples
    return work.once(
        name,
        lambda: [
            discrimination(Model.load(place), part, READMITTED, times=times)
            for place in models(work, model).values()
        ],
    )


def audited(work: Workspace, model: ModelName) -> tuple[Audit, Audit]:
    """Word sensitivity of the first seed's model: first occurrences replaced, and all of them."""
    return work.once(f"audit {model}", lambda: _audited(work, model))


def clinicians(work: Workspace) -> ClinicianRatings:
    """Clinicians' word ratings: the paper's, or on stand-in data those of the hospital."""
    if work.sources.get("mimic3") is not None:
        return ClinicianRatings(
            {row["word"]: -row["manual"] for row in rankings().iter_rows(named=True)}
        )
    return read_ratings(hospital.hospital(work) / "ratings" / "clinicians.csv")


def language_model(work: Workspace) -> Path:
    """A clinical BERT if it is given, or a small one trained on the training notes."""
    given = work.sources.get("bert")
    return _small_model(work, seed=0) if given is None else given


def filter_model(work: Workspace) -> Path:
    """The language model of the context filter: a small one that no audited model comes from."""
    return _small_model(work, seed=_OTHER_SEED)


def _small_model(work: Workspace, *, seed: int) -> Path:
    from auscult.models.pretraining.small import SmallMlmConfiguration, train_mlm

    here, steps = cohort(work), work.scale.language_model
    about = {"corpus": corpus_digest(here.corpus), "steps": steps, "seed": seed}
    small = SmallMlmConfiguration(3000, 64, batch_size=16, max_steps=steps)

    def make(out: Path) -> None:
        training = here.corpus.select(splits=["train"])
        texts = [note.text for note in training.iter_notes() if note.text]
        train_mlm(texts, out, small=small, seed=seed)

    return work.kept("language-model", about, make)


def words(work: Workspace) -> tuple[str, ...]:
    """The words of all tables, and those that the hospital's clinicians rated."""
    named = [word for at in range(4, 10) for word in table(f"table{at}")["word"]]
    return tuple(dict.fromkeys([*named, *clinicians(work).importance]))


def _made(work: Workspace, tables: Path, used: UsedData) -> Cohort:
    def make(out: Path) -> None:
        read = formats.read("mimic3", tables, categories=(_SUMMARY,))
        with warnings.catch_warnings():
            # Notes of one patient are in several splits, as they are in the paper.
            warnings.simplefilter("ignore", UserWarning)
            readmission(read, ReadmissionTask(by="note")).corpus.write(out)

    corpus = Corpus.open(work.kept("readmission", {"of": used.digest}, make))
    notes = corpus.manifest.files["notes.parquet"].rows
    positive = corpus.manifest.files["annotations.parquet"].rows
    return Cohort(corpus, used, notes, positive)


def _recipe(work: Workspace, model: ModelName) -> tuple[str, Mapping[str, Any], tuple[int, ...]]:
    """The architecture, its hyperparameters and the seeds."""
    if model == "trees":
        return "tfidf-xgboost", _TREES, work.scale.trees
    return "transformer", _bert(work), work.scale.bert_seeds


def _bert(work: Workspace) -> dict[str, Any]:
    config = {**_BERT, **work.scale.bert, "encoder": str(language_model(work).resolve())}
    # As the paper. The first token of the small stand-in means nothing that could be classified.
    return config if work.sources.get("bert") is None else {**config, "head": "sequence"}


def _audited(work: Workspace, model: ModelName) -> tuple[Audit, Audit]:
    from auscult.audit.filters.context import ContextFilter
    from auscult.audit.mlm import MaskedModel

    here = cohort(work)
    charts = list(here.corpus.select(splits=["test"], annotators=[]).charts())
    trained = next(iter(models(work, model).values()))
    chosen = charts[: work.scale.audited]
    fills = filter_model(work)
    context = work.once("context", lambda: ContextFilter(MaskedModel.load(fills), 5))
    # For the trees too, words are drawn from the vocabulary of the paper's encoder.
    drawn = work.once("drawn", lambda: MaskedModel.load(language_model(work)).words)
    found = []
    for swap in ("first", "all"):
        about = {"trained": trained.name, "swap": swap, "charts": len(chosen), "fills": fills.name}
        place = work.place("audit", about)
        place.mkdir(exist_ok=True)
        plan = AuditPlan(READMITTED, words(work), swap, times=work.scale.resamples)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found.append(
                audit(
                    trained,
                    chosen,
                    plan,
                    place,
                    ratings=clinicians(work),
                    context=context,
                    vocabulary=drawn,
                )
            )
    return found[0], found[1]
