"""What `auscult train` prints about the models it trained."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import table
from auscult.cli.progress import duration
from auscult.core.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from auscult.learning.training_estimate import TrainingEstimate
    from auscult.models.choosing import ModelChoice
    from auscult.models.grid_search import GridPoint
    from auscult.models.model import Model


_CUI_LESS = {"cui_less": "CUI-less", "cui_less_of_new_text": "CUI-less, new text"}


def say_choice(choice: ModelChoice, trainings: int = 1) -> None:
    """Print what was chosen, on standard error, before a number of trainings begin."""
    click.echo(f"Chosen: {choice.model}. " + ". ".join(map(_sentence, choice.why)) + ".", err=True)
    if choice.seconds is not None:
        said = f"Training should take about {duration(choice.seconds)}"
        if trainings > 1:
            said += (
                f" for each of {trainings} models, {duration(trainings * choice.seconds)} in all"
            )
        click.echo(f"{said}.", err=True)


def say_time(choice: ModelChoice) -> None:
    """How long training the chosen model should take."""
    if choice.seconds is None:
        click.echo("Training should take about a minute: the corpus is too small to measure it.")
    else:
        click.echo(f"Training should take about {duration(choice.seconds)}.")


def say_estimate(found: TrainingEstimate) -> None:
    """Print how long a training should take, and what takes the time."""
    click.echo(
        f"At most {counted(found.epochs, 'epoch')} of about {duration(found.epoch_seconds)} each: "
        f"{duration(found.seconds)} in all on this machine, less if training stops early."
    )
    dev = f"; evaluation on dev: {found.dev_seconds:.0f} s" if found.dev_seconds >= 1 else ""
    click.echo(f"Each epoch: {counted(found.steps, 'step')}; {found.times}{dev}")


def _sentence(said: str) -> str:
    return said[:1].upper() + said[1:]


def described(models: Sequence[Model]) -> dict[str, Any]:
    """For JSON: what the models have in common, and an entry for each run."""
    return (_described_codes if models[0].can.scores_codes else _described_spans)(models)


def say(out: Path, models: Sequence[Model], tried: Sequence[GridPoint] = ()) -> None:
    """The same for the terminal."""
    if tried:
        choices = [
            (
                ", ".join(f"{k} = {v}" for k, v in one.settings.items()),
                *(
                    "–" if v is None else f"{v:.4f}"
                    for v in (one.loss, one.code_f1, one.evidence_f1)
                ),
            )
            for one in tried
        ]
        table("Grid search", ["hyperparameters", "loss", "code F1", "evidence F1"], choices)
    (_say_codes if models[0].can.scores_codes else _say_spans)(out, models)


def _described_codes(models: Sequence[Model]) -> dict[str, Any]:
    from auscult.models.training import mean_and_deviation, tuned
    from auscult.statistics.repeated_runs import mean_interval

    first = models[0].about
    found: dict[str, Any] = {
        "kind": first.kind,
        "codes": len(models[0].labels),
        "charts": first.source.charts,
        "tuned_on": first.tuning["on"],
        "truncation": first.truncation,
        "seeds": list(dict.fromkeys(model.about.seed for model in models)),
        "runs": [],
    }
    for model in models:
        run: dict[str, Any] = {
            "seed": model.about.seed,
            "evidence_fraction": _evidence_fraction(model),
            **model.decoding.model_dump(),
        }
        if (members := getattr(model.architecture, "members", None)) is not None:
            run["members"] = list(members)
            run["open_members"] = list(getattr(model.architecture, "opens", ()))
        if (times := getattr(model.architecture, "step_times", None)) is not None and times.steps:
            run["step"] = times.to_dict()
        undefined = model.about.tuning.get("undefined")
        for what in ("codes", "evidence"):
            if (counts := tuned(model, what)) is not None:
                run[what] = {**asdict(counts), "f1": counts.f1}
            elif undefined is not None and what in model.about.tuning:
                run[what] = dict.fromkeys(("tp", "fp", "fn", "f1")) | {"undefined": undefined}
        found["runs"].append(run)
    for what in ("codes", "evidence"):
        scores = [f1 for run in found["runs"] if (f1 := run.get(what, {}).get("f1")) is not None]
        if scores:
            mean, deviation = mean_and_deviation(scores)
            found[f"{what}_f1"] = {
                "mean": mean, "sd": deviation, "interval": mean_interval(scores),
                "runs": len(scores),
            }  # fmt: skip
    return found


def _described_spans(models: Sequence[Model]) -> dict[str, Any]:
    about = models[0].about
    assert about.mentions is not None  # such a card has them
    return {
        "kind": about.kind,
        **about.mentions.model_dump(),
        "vocabulary": about.vocabulary.name if about.vocabulary else None,
        "seeds": list(dict.fromkeys(one.about.seed for one in models)),
        "runs": [{"seed": one.about.seed, "measured": one.about.tuning} for one in models],
    }


def _say_codes(out: Path, models: Sequence[Model]) -> None:
    found = _described_codes(models)
    click.echo(
        f"{out}: {found['kind']}, {counted(found['codes'], 'code')}, trained on "
        f"{counted(found['charts'], 'chart')}"
    )
    asked = getattr(models[0].config, "members", ())
    for run in found["runs"]:
        kept, opens = run.get("members", ()), run.get("open_members", ())
        left = [name for name in asked if name not in (*kept, *opens)]
        said = [
            f"{', '.join(opens)} for codes that no training chart has" if opens else "",
            f"dropped {', '.join(left)}, which did not improve it" if left else "",
        ]
        if any(said):
            parts = (f"kept {', '.join(kept)}", *filter(None, said))
            click.echo(f"seed {run['seed']}: {'; '.join(parts)}")
    for model in models:
        if (times := getattr(model.architecture, "step_times", None)) is not None and times.steps:
            click.echo(f"training time: {times}")
    cut = found["truncation"]
    if cut["words_cut"]:
        click.echo(
            f"truncated: {cut['words_cut']:,} of {cut['words']:,} words in "
            f"{cut['charts_cut']:,} charts, {cut['spans_cut']:,} of {cut['spans']:,} spans, all "
            f"evidence of {cut['codes_cut']:,} of {cut['codes']:,} codes"
        )
    for undefined in dict.fromkeys(model.about.tuning.get("undefined") for model in models):
        if undefined is not None:
            click.echo(undefined)
    some_hidden = any(_evidence_fraction(model) < 1 for model in models)
    rows = [
        [
            run["seed"],
            *([f"{run['evidence_fraction']:.1%}"] if some_hidden else []),
            f"{run['code_threshold']:.3f}",
            _f1(run, "codes"),
            f"{run['evidence_threshold']:.3f}",
            _f1(run, "evidence"),
        ]
        for run in found["runs"]
    ]
    columns = [
        "seed",
        *(["evidence used"] if some_hidden else []),
        "code threshold",
        "micro-F1",
        "evidence threshold",
        "token F1",
    ]
    table(f"Tuned on {found['tuned_on']}", columns, rows)
    if len({_evidence_fraction(model) for model in models}) == 1 < len(models):
        for what, name in (("codes", "micro-F1"), ("evidence", "token F1")):
            if measured := found.get(f"{what}_f1"):
                seeds = ", ".join(map(str, found["seeds"]))
                known = ""
                if measured["interval"] is not None:
                    low, high = measured["interval"]
                    known = f"; 95% interval of the mean: {low:.3f} to {high:.3f}"
                click.echo(
                    f"{name} {measured['mean']:.3f} ± {measured['sd']:.3f} (seeds {seeds}{known})"
                )


def _say_spans(out: Path, models: Sequence[Model]) -> None:
    found = _described_spans(models)
    click.echo(
        f"{out}: {found['kind']}, {counted(found['concepts'], 'concept')}, trained on "
        f"{counted(found['mentions'], 'mention')} in {counted(found['notes'], 'note')}"
    )
    if found["left_out"]:
        click.echo(
            f"left out: {counted(found['left_out'], 'training note')} that the annotator has not "
            "read. To count them as notes without annotations, pass --charts all."
        )
    if found["discontinuous"] and models[0].can.finds_spans:
        click.echo(
            f"{counted(found['discontinuous'], 'discontinuous mention')} trained as the whole text "
            "from first to last character; the model predicts contiguous spans only"
        )
    for run in found["runs"]:
        measured = run["measured"]
        scores = [
            f"{name.replace('_', ' ')} {value:.3f}"
            for name, value in measured.items()
            if isinstance(value, float) and name != "loss"
        ]
        if scores:
            seed = f"seed {run['seed']}, " if len(models) > 1 else ""
            click.echo(f"{seed}on {measured.get('on', 'training notes')}: {', '.join(scores)}")
        for name, label in _CUI_LESS.items():
            counts = measured.get(name) or {}
            if counts.get("f1") is not None:
                gold = counts["tp"] + counts["fn"]
                click.echo(f"{label}: F1 {counts['f1']:.3f} of {gold:,}")


def _evidence_fraction(model: Model) -> float:
    return float(getattr(model.config, "evidence_fraction", 1.0))


def _f1(run: dict[str, Any], what: str) -> str:
    return f"{run[what]['f1']:.3f}" if run.get(what, {}).get("f1") is not None else "–"
