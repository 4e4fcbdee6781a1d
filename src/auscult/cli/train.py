"""`auscult train`: a coder from a corpus."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.engines import on_engine
from auscult.cli.options import seed
from auscult.cli.output import command, pair, table
from auscult.cli.settings import read_toml, setting
from auscult.cli.train_concepts import train_concepts
from auscult.coders import CODERS, SPAN_CODERS
from auscult.core import OptionError
from auscult.core.names import require_known
from auscult.core.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auscult.coders.coder import Coder
    from auscult.coders.search import Tried
    from auscult.engine import Engine

_EVIDENCE = ("attention", "supervised", "linear-tagger", "cnn-tagger")


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--coder",
    "kind",
    default="ensemble",
    show_default=True,
    help="; ".join(CODERS) + "; one of another package; of concepts: " + "; ".join(SPAN_CODERS),
)
@click.option(
    "--evidence",
    type=click.Choice(_EVIDENCE),
    help="How a neural coder points at its evidence.",
)
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    help="TOML file with settings of the coder.",
)
@click.option("--set", "settings", multiple=True, help="KEY=VALUE, over what the file says.")
@click.option(
    "--annotator",
    "annotators",
    multiple=True,
    help="Whose codes to learn  [default: gold's]",
)
@click.option(
    "--charts",
    type=click.Choice(["annotated", "all"]),
    metavar="WHICH",
    help="annotated (read ones), or all.",
)
@click.option("--system", "systems", multiple=True, help="Learn codes of these systems only.")
@click.option("--category", "categories", multiple=True, help="Read notes of these categories.")
@click.option(
    "--train-split", "train", default="train", show_default=True, help="Split to learn from."
)
@click.option("--dev-split", "dev", help="Split to tune on, or none  [default: dev]")
@seed
@click.option("--runs", type=click.IntRange(1), help="Train with this many seeds, into OUT/seed-N.")
@click.option(
    "--evidence-shares",
    "shares",
    metavar="S,S,…",
    help="Learning curve: with these shares of the evidence, into OUT/share-S.",
)
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="KEY=V,V,…",
    help="Try these values and keep the lowest loss on dev; repeatable.",
)
@click.option(
    "--replicas",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that train one neural coder together.",
)
@click.option("--overwrite", is_flag=True, help="Replace the coder that is at OUT.")
@command
@on_engine
def train(
    corpus: Path,
    out: Path,
    kind: str,
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
    shares: str | None,
    grids: tuple[str, ...],
    replicas: int,
    overwrite: bool,
    engine: Engine,
) -> Any:
    """Learn a coder from the training split of CORPUS and save it to OUT.

    Thresholds are tuned on the dev split, or within the training charts when there is none; test
    charts are never looked at. Neural coders and --runs that were interrupted go on where they
    stopped, given the same command.

    \b
    Example:
      auscult train corpus coder
      auscult train corpus can --coder effectivecan --evidence supervised --set longest=3500
      auscult train readmission bert --coder transformer --set model=clinical-bert \\
        --grid learning_rate=2e-5,2e-6,2e-7 --workers 2
      auscult train concepts norm --coder normaliser --set vocabulary=umls --annotator gold
    """
    from auscult.coders import kinds, reads_concepts, scorer, span_kinds
    from auscult.coders.runs import learning_curve, train_runs
    from auscult.coders.runs import train as train_one
    from auscult.coders.search import search
    from auscult.corpus import Corpus

    if kind not in (*CODERS, *SPAN_CODERS):
        require_known(kind, (*kinds(), *span_kinds()), "coder")
    of_concepts = reads_concepts(kind)
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
            f"--evidence says {evidence} and --set evidence={config['evidence']}. Give one of them."
        )
    if evidence and (of_concepts or "evidence" not in scorer(kind).config_type.model_fields):
        raise OptionError(
            f"--evidence says how a neural coder points; the coder {kind} has a way of its own."
        )
    if of_concepts:
        if runs is not None or shares is not None or dev is not None or grids or replicas > 1:
            raise OptionError(
                f"The coder {kind} reads concepts and is tuned within the training notes: leave "
                "--runs, --evidence-shares, --grid, --replicas and --dev-split out."
            )
        return train_concepts(
            corpus, out, kind, config, seed=seed, train=train, overwrite=overwrite
        )
    opened = Corpus.open(corpus)
    chosen: dict[str, Any] = {"train": train, "dev": dev, "overwrite": overwrite}
    if sum(given is not None for given in (shares, runs, grids or None)) > 1:
        raise OptionError("Give one of --runs, --evidence-shares and --grid.")
    if replicas > 1 and (shares is not None or runs is not None or grids):
        raise OptionError(
            "--replicas train one coder: leave --runs, --evidence-shares and --grid out."
        )
    tried: list[Tried] = []
    if grids:
        best, tried = search(
            corpus, out, kind, config, dict(map(_grid, grids)), engine=engine, seed=seed,
            **chosen,
        )  # fmt: skip
        coders = [best]
    elif shares is not None:
        curve = learning_curve(
            opened, out, kind, config, shares=_shares(shares), seed=seed, **chosen
        )
        coders = [coder for _, coder in curve]
    elif runs is None:
        coders = [
            train_one(
                opened, out, kind, config, seed=seed, replicas=replicas, engine=engine, **chosen
            )
        ]
    else:
        seeds = range(seed, seed + runs)
        coders = list(train_runs(opened, out, kind, config, seeds=seeds, **chosen))
    found = {"coder": str(out), **_described(coders), "tried": [one.to_dict() for one in tried]}
    return found, lambda: _say(out, coders, tried)


def _described(coders: list[Coder]) -> dict[str, Any]:
    from auscult.coders.runs import mean_and_deviation, tuned

    first = coders[0].about
    found: dict[str, Any] = {
        "kind": first.kind,
        "codes": len(coders[0].labels),
        "charts": first.source.charts,
        "tuned_on": first.tuning["on"],
        "truncation": first.truncation,
        "runs": [],
    }
    for coder in coders:
        run: dict[str, Any] = {
            "seed": coder.about.seed,
            "evidence_share": coder.config.evidence_share,
            **coder.about.decoding.model_dump(),
        }
        if (members := getattr(coder.scorer, "members", None)) is not None:
            run["members"] = list(members)
        undefined = coder.about.tuning.get("undefined")
        for what in ("codes", "evidence"):
            if (counts := tuned(coder, what)) is not None:
                run[what] = {**asdict(counts), "f1": counts.f1}
            elif undefined is not None and what in coder.about.tuning:
                run[what] = dict.fromkeys(("tp", "fp", "fn", "f1")) | {"undefined": undefined}
        found["runs"].append(run)
    for what in ("codes", "evidence"):
        scores = [f1 for run in found["runs"] if (f1 := run.get(what, {}).get("f1")) is not None]
        if scores:
            mean, deviation = mean_and_deviation(scores)
            found[f"{what}_f1"] = {"mean": mean, "sd": deviation, "runs": len(scores)}
    return found


def _grid(given: str) -> tuple[str, list[Any]]:
    """KEY=V,V,…, the values as TOML has them."""
    name, values = pair(given, "KEY=V,V,…")
    return name, [setting(f"{name}={value}")[1] for value in values.split(",")]


def _say(out: Path, coders: list[Coder], tried: Sequence[Tried] = ()) -> None:
    found = _described(coders)
    if tried:
        choices = [
            (", ".join(f"{k} = {v}" for k, v in one.settings.items()), f"{one.loss:.4f}")
            for one in tried
        ]
        table("Tried", ["settings", "loss on dev"], choices)
    click.echo(
        f"{out}: {found['kind']}, learnt {counted(found['codes'], 'code')} from "
        f"{counted(found['charts'], 'chart')}"
    )
    asked = getattr(coders[0].config, "members", ())
    for run in found["runs"]:
        if (kept := run.get("members")) is not None and set(kept) != set(asked):
            left = [name for name in asked if name not in kept]
            click.echo(
                f"seed {run['seed']}: kept {', '.join(kept)}; {', '.join(left)} made it no better"
            )
    cut = found["truncation"]
    if cut["words_cut"]:
        click.echo(
            f"cut off for length: {cut['words_cut']:,} of {cut['words']:,} words in "
            f"{cut['charts_cut']:,} charts, {cut['spans_cut']:,} of {cut['spans']:,} spans, all "
            f"evidence of {cut['codes_cut']:,} of {cut['codes']:,} codes"
        )
    for undefined in dict.fromkeys(coder.about.tuning.get("undefined") for coder in coders):
        if undefined is not None:
            click.echo(undefined)
    some_hidden = any(coder.config.evidence_share < 1 for coder in coders)
    rows = [
        [
            run["seed"],
            *([f"{run['evidence_share']:.1%}"] if some_hidden else []),
            f"{run['code_threshold']:.3f}",
            _f1(run, "codes"),
            f"{run['evidence_threshold']:.3f}",
            _f1(run, "evidence"),
        ]
        for run in found["runs"]
    ]
    columns = [
        "seed",
        *(["evidence shown"] if some_hidden else []),
        "code threshold",
        "micro-F1",
        "evidence threshold",
        "token F1",
    ]
    table(f"Tuned on {found['tuned_on']}", columns, rows)
    if len({coder.config.evidence_share for coder in coders}) == 1 < len(coders):
        for what, name in (("codes", "micro-F1"), ("evidence", "token F1")):
            if measured := found.get(f"{what}_f1"):
                click.echo(f"{name} {measured['mean']:.3f} ± {measured['sd']:.3f}")


def _shares(given: str) -> list[float]:
    try:
        return [float(share) for share in given.split(",")]
    except ValueError:
        raise OptionError(f"Shares are numbers such as 0,0.25,1; got {given!r}.") from None


def _f1(run: dict[str, Any], what: str) -> str:
    return f"{run[what]['f1']:.3f}" if run.get(what, {}).get("f1") is not None else "–"
