"""`auscult train`: train a model on a corpus."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.engines import on_engine
from auscult.cli.options import (
    annotators,
    categories,
    charts,
    config,
    dev_split,
    hyperparameters,
    overwrite,
    seed,
    systems,
    train_split,
)
from auscult.cli.output import command, pair
from auscult.cli.settings import read_toml, setting
from auscult.cli.train_output import described, say, say_choice, say_estimate, say_time
from auscult.core import OptionError
from auscult.models import CODING_MODELS, ENTITY_MODELS

if TYPE_CHECKING:
    from auscult.engine import Engine
    from auscult.models.grid_search import Criterion, GridPoint

_EVIDENCE = ("attention", "supervised", "linear-tagger", "cnn-tagger")


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--model",
    "kind",
    help="Architecture; by default one is chosen for the corpus, with reasons. Codes:"
    f" {', '.join(CODING_MODELS)}. Entities (NER, entity linking): "
    f"{', '.join(ENTITY_MODELS)}. Or a plug-in.",
)
@click.option(
    "--evidence",
    type=click.Choice(_EVIDENCE),
    help="How a neural model finds its evidence.",
)
@config
@hyperparameters
@annotators("gold")
@charts(None)
@systems
@categories
@train_split
@dev_split
@seed
@click.option(
    "--runs", type=click.IntRange(1), metavar="N", help="Train with N seeds, to OUT/seed-*."
)
@click.option("--seeds", "listed", metavar="S,S,…", help="Train with these seeds, to OUT/seed-*.")
@click.option(
    "--evidence-fractions",
    "fractions",
    metavar="F,F,…",
    help="Learning curve over evidence.",
)
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="KEY=V,V,…",
    help="Grid search; repeatable.",
)
@click.option(
    "--grid-criterion",
    "criterion",
    type=click.Choice(["loss", "code-f1", "evidence-f1"]),
    default="loss",
    show_default=True,
    help="Criterion for the best model of a grid search, measured on dev: the lowest loss, the "
    "highest micro-F1 of codes, or the highest token F1 of evidence among the models whose codes "
    "stay as good as without an evidence loss.",
)
@click.option(
    "--grid-tolerance",
    "tolerance",
    type=click.FloatRange(0, 1),
    default=0.005,
    show_default=True,
    metavar="F1",
    help="With evidence-f1: how far code micro-F1 may fall below that without an evidence loss.",
)
@click.option(
    "--replicas",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Data-parallel processes.",
)
@click.option("--estimate", is_flag=True, help="Estimate the training time and exit.")
@overwrite
@command
@on_engine
def train(
    corpus: Path,
    out: Path,
    kind: str | None,
    evidence: str | None,
    file: Path | None,
    settings: tuple[str, ...],
    annotators: tuple[str, ...],
    systems: tuple[str, ...],
    categories: tuple[str, ...],
    charts: str | None,
    train: str,
    dev: str | None,
    seed: int,
    runs: int | None,
    listed: str | None,
    fractions: str | None,
    grids: tuple[str, ...],
    criterion: Criterion,
    tolerance: float,
    replicas: int,
    estimate: bool,
    overwrite: bool,
    engine: Engine,
) -> Any:
    """Train a model on the training split of CORPUS and save it to OUT.

    Without --model, it chooses one for the corpus, says why, and estimates the training time.
    Thresholds are tuned on the dev split, or on the training charts when there is none; test charts
    are never used. An interrupted command resumes when run again.

    \b
    Example:
      auscult train corpus model
      auscult train corpus can --model effectivecan --evidence supervised --estimate
      auscult train readmission bert --model transformer --set encoder=clinical-bert \\
        --grid learning_rate=2e-5,2e-6,2e-7 --workers 2
      auscult train readmission trees --model tfidf-xgboost --seeds 24,42,61,67,70
      auscult train corpus can --model effectivecan --evidence supervised \\
        --grid evidence_weight=0.5,1,2 --grid-criterion evidence-f1
      auscult train concepts norm --model linker --set vocabulary=umls --annotator gold
    """
    from auscult.corpus import Corpus
    from auscult.experiment.learning_curves import learning_curve
    from auscult.models import capabilities, config_type_of, model_class
    from auscult.models.choosing import choice_file, choose_model
    from auscult.models.estimating import estimate_training
    from auscult.models.fitting import DEFAULT
    from auscult.models.grid_search import search
    from auscult.models.saved import check_target
    from auscult.models.training import train as train_one
    from auscult.models.training import train_runs

    architecture = model_class(kind or DEFAULT)
    options = {
        "annotators": annotators,
        "systems": systems,
        "categories": categories,
        "charts": charts,
        "evidence": evidence,
    }
    config = {
        **(read_toml(file) if file else {}),
        **{name: chosen for name, chosen in options.items() if chosen},
        **dict(map(setting, settings)),
    }
    if evidence and config["evidence"] != evidence:
        raise OptionError(
            f"--evidence {evidence} contradicts --set evidence={config['evidence']}. Pass only one."
        )
    if evidence and "evidence" not in config_type_of(architecture).model_fields:
        raise OptionError(
            f"--evidence applies to neural models only; {kind or DEFAULT} has its own method. "
            "Leave it out."
        )
    if not capabilities(architecture).scores_codes and (fractions is not None or dev is not None):
        raise OptionError(
            f"The model {kind} annotates spans and is tuned on the training notes: leave "
            "--evidence-fractions and --dev-split out."
        )
    if sum(given is not None for given in (fractions, runs, listed, grids or None)) > 1:
        raise OptionError("Pass only one of --runs, --seeds, --evidence-fractions and --grid.")
    seeds = _seeds(listed) if listed is not None else runs and tuple(range(seed, seed + runs))
    if estimate and (replicas > 1 or seeds or grids or fractions):
        raise OptionError(
            "--estimate measures a single training run in one process. Leave out --runs, --seeds, "
            "--grid, --evidence-fractions and --replicas."
        )
    if criterion != "loss" and not grids:
        raise OptionError(f"--grid-criterion {criterion} needs a grid search. Add --grid KEY=V,V.")
    if replicas > 1 and (fractions is not None or seeds or grids):
        raise OptionError(
            "--replicas trains one model. Leave out --runs, --seeds, --evidence-fractions and "
            "--grid."
        )
    opened = Corpus.open(corpus)
    choice = None
    grid, shares = dict(map(_grid, grids)), None if fractions is None else _fractions(fractions)
    if kind is None:
        if (
            not seeds and shares is None and not estimate
        ):  # else OUT is a folder of models, to which some come
            check_target(out, overwrite)
        if replicas > 1:
            raise OptionError("--replicas needs a neural model: name one with --model.")
        is_one = not (estimate or grids or seeds or shares is not None)
        choice = choose_model(
            opened, config, seed=seed, train_split=train, dev_split=dev,
            kept=choice_file(out) if is_one else None,
        )  # fmt: skip
        kind, config = choice.model, dict(choice.config)
        say_choice(choice, math.prod(map(len, grid.values())) * len(seeds or shares or [0]))
        if estimate:
            return {"chosen": choice.to_dict()}, lambda: say_time(choice)
    elif estimate:
        time = estimate_training(opened, kind, config, seed=seed, train_split=train, dev_split=dev)
        return {"estimate": time.to_dict()}, lambda: say_estimate(time)
    chosen: dict[str, Any] = {"train_split": train, "dev_split": dev, "overwrite": overwrite}
    tried: list[GridPoint] = []
    if grids:
        best, tried = search(
            corpus, out, kind, config, grid,
            criterion=criterion, tolerance=tolerance, engine=engine, seed=seed, **chosen,
        )  # fmt: skip
        models = [best]
    elif shares is not None:
        curve = learning_curve(opened, out, kind, config, fractions=shares, seed=seed, **chosen)
        models = [model for _, model in curve]
    elif seeds:
        models = list(train_runs(opened, out, kind, config, seeds=seeds, **chosen))
    else:
        models = [
            train_one(
                opened, out, kind, config, seed=seed, replicas=replicas, engine=engine, **chosen
            )
        ]
    chosen_how = {} if choice is None else {"chosen": choice.to_dict()}
    found = {
        "model": str(out),
        **chosen_how,
        **described(models),
        "tried": [one.to_dict() for one in tried],
    }
    return found, lambda: say(out, models, tried)


def _grid(given: str) -> tuple[str, list[Any]]:
    """Parse KEY=V,V,…; values are TOML."""
    name, values = pair(given, "KEY=V,V,…")
    return name, [setting(f"{name}={value}")[1] for value in values.split(",")]


def _seeds(given: str) -> tuple[int, ...]:
    """Parse S,S,…; each of them is one that --seed takes."""
    try:
        return tuple(int(one) for one in given.split(","))
    except ValueError:
        raise OptionError(
            f"--seeds takes whole numbers such as 24,42,61,67,70; got {given!r}."
        ) from None


def _fractions(given: str) -> list[float]:
    try:
        return [float(fraction) for fraction in given.split(",")]
    except ValueError:
        raise OptionError(
            f"--evidence-fractions takes numbers such as 0,0.25,1; got {given!r}."
        ) from None
