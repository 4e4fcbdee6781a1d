"""The networks of MDACE's experiments: trained once, stored, and evaluated on held-out charts."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auscult.core import Metric
from auscult.core.randomness import shuffled
from auscult.corpus import Corpus
from auscult.corpus.provenance import corpus_digest
from auscult.corpus.split import split_by_list
from auscult.evaluate import EvidenceResult
from auscult.experiment import assess
from auscult.models.model import Model
from auscult.models.training import mean_and_deviation, train
from auscult.reproduce.commands import auscult, chosen
from auscult.reproduce.contract import Basis, Measured
from auscult.reproduce.mdace.files import SUMMARY, ChartFiles, charts, smaller
from auscult.reproduce.work import Workspace
from auscult.statistics.repeated_runs import interval_of_runs, mean_interval

CODEABLE = (SUMMARY, "Physician", "Radiology")
_LONGER = 5000 / 3500
"""How much longer the input is with notes other than discharge summaries."""
NEEDS = (
    "MIMIC-III (PhysioNet, credentialed) and MDACE (open); a GPU, or days of "
    "computing. The paper does not print all of its hyperparameters"
)
STAND_IN = (
    "charts of the synthetic hospital, fewer and shorter, with the codes that occur"
    " in several of them; small networks"
)


def summaries(work: Workspace) -> tuple[ChartFiles, Corpus]:
    """Discharge summaries with inpatient evidence, at the scale of the work."""
    whole = charts(work, "Inpatient", categories=(SUMMARY,))
    return whole, kept_smaller(work, whole, "inpatient", (SUMMARY,))


def kept_smaller(
    work: Workspace, whole: ChartFiles, annotator: str, categories: Sequence[str]
) -> Corpus:
    """The training corpus, on disk."""
    scale = work.scale
    about = {
        "of": [one.digest for one in whole.used], "annotator": annotator,
        "categories": list(categories), "charts": scale.charts, "least": scale.least,
    }  # fmt: skip
    place = work.kept(
        "learning",
        about,
        lambda out: smaller(
            whole.corpus.select(annotators=["billing", annotator]), work, of=annotator
        ).write(out),
    )
    return Corpus.open(place)


def dealt_again(work: Workspace, whole: ChartFiles, corpus: Corpus) -> Corpus:
    """80% of the charts with evidence for training, 10% each for dev and test (Table 7)."""
    about = {"of": [one.digest for one in whole.used], "charts": work.scale.charts}

    def make(out: Path) -> None:
        lists = whole.files.lists("Inpatient", "ev")
        known = set(corpus.chart_ids())
        every = [one for ids in lists.values() for one in ids if one in known]
        order = shuffled(sorted(every), random.Random(0))
        tenth = max(1, round(len(order) / 10))
        parts = {"dev": order[:tenth], "test": order[tenth : 2 * tenth]}
        parts["train"] = order[2 * tenth :]
        moved = set(order)
        for split in ("train", "dev"):
            here = corpus.select(splits=[split]).chart_ids()
            parts[split] += [one for one in here if one not in moved]
        split_by_list(corpus, parts).write(out)

    return Corpus.open(work.kept("dealt-again", about, make))


def learned(
    work: Workspace, corpus: Corpus, kind: str, settings: Mapping[str, Any], *, seed: int
) -> Model:
    """A model trained on the corpus; an existing one is reused, an interrupted training resumed."""
    config = {**sized(work, kind), **settings}
    about = {"kind": kind, "config": config, "seed": seed, "corpus": corpus_digest(corpus)}
    place = work.place(f"{kind}-{config.get('evidence', 'attention')}", about)
    if not place.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            train(corpus, place, kind, config, seed=seed)
    return Model.load(place)


def codeable(work: Workspace, practice: str) -> tuple[ChartFiles, Corpus, Model]:
    """The code-able notes of a practice, and supervised attention trained on them (Table 10)."""
    whole = charts(work, practice, categories=CODEABLE)
    corpus = kept_smaller(work, whole, practice.lower(), CODEABLE)
    settings = codeable_settings(work, practice)
    return whole, corpus, learned(work, corpus, "effectivecan", settings, seed=0)


def codeable_settings(work: Workspace, practice: str) -> dict[str, Any]:
    """The settings of the network of Table 10."""
    annotators = ("billing", practice.lower())
    return {"evidence": "supervised", "annotators": annotators, "max_length": longer(work)}


def on_test(
    work: Workspace, model: Model, corpus: Corpus, annotator: str, *, merge_adjacent: bool = False
) -> EvidenceResult:
    """The model's evidence for the gold codes of the test charts, cleaned as the authors do.

    Their README trims all evidence, and merges adjacent evidence in code-able notes only.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        part = corpus.select(splits=["test"])
        return assess(
            model, part, annotator=annotator, trim=True, merge_adjacent=merge_adjacent,
            times=work.scale.resamples,
        ).evidence  # fmt: skip


def by_hand(
    work: Workspace,
    corpus: Corpus,
    kind: str,
    settings: Mapping[str, Any],
    annotator: str,
    *,
    seeds: Sequence[int] = (0,),
    merge_adjacent: bool = False,
) -> tuple[str, ...]:
    """The commands that train on the run's corpus, and evaluate evidence on its test charts."""
    config = {**sized(work, kind), **settings}
    name = f"{kind}-{config.get('evidence', 'attention')}-{annotator}"
    cleaned = ("--merge-adjacent",) if merge_adjacent else ()
    made = []
    for seed in seeds:
        model, predicted = f"{name}/seed-{seed}", f"{name}-predicted-{seed}"
        made += [
            auscult(
                "train", corpus.path, model, "--model", kind, *chosen(config), "--seed", seed
            ),
            auscult(
                "predict", model, corpus.path, predicted, "--split", "test",
                "--codes-of", annotator,
            ),
            auscult(
                "evaluate", "evidence", corpus.path, predicted, "--split", "test",
                "--annotator", annotator, "--trim", *cleaned,
                "--bootstrap", work.scale.resamples, "--json",
            ),
        ]  # fmt: skip
    return tuple(made)


def longer(work: Workspace) -> int:
    """The maximum length in words with all code-able notes."""
    return round(int(work.scale.network["max_length"]) * _LONGER)


def averaged(
    values: Sequence[float | None],
    basis: Basis,
    *,
    runs: Sequence[Metric] = (),
    why: str = "a run predicts no evidence, so precision is undefined",
) -> Measured:
    """The mean of several runs in per cent.

    Its interval is over seeds and charts where `runs` have one over charts; otherwise over seeds.
    """
    known = [100 * value for value in values if value is not None]
    if len(known) < len(values) or not known:
        return Measured(None, basis, undefined=why)
    mean, spread = mean_and_deviation(known)
    over_both = interval_of_runs(runs)
    if over_both is None:
        interval = mean_interval(known)
    else:
        interval = (100 * over_both[0], 100 * over_both[1])
    return Measured(mean, basis, interval, spread, n=len(known))


def settings_used(work: Workspace) -> tuple[str, ...]:
    """What the networks have of the paper, and what of Auscult, for the page."""
    if work.scale.network.get("tagger_loss") == "mean":
        return (
            "The published networks and losses: λ₁ = 2.5, λ₂ = 0.5 with a plain mean as the "
            "taggers' loss, CAML with 50 channels and a kernel of 10. MDACE does not print the "
            "layer sizes of EffectiveCAN; 300 channels, kernels of 9 and keys of 300 dimensions "
            "give its 17 million parameters.",
        )
    return (
        "Small networks with Auscult's default losses: a tagger's loss is averaged over evidence "
        "words, with a weight of 0.05. The published ones (`tagger_loss=mean`, λ₂ = 0.5, and "
        "EffectiveCAN with 17 million parameters) are used with --scale paper.",
    )


def sized(work: Workspace, kind: str) -> dict[str, Any]:
    """The settings of a network at the scale of the work."""
    chosen = dict(work.scale.network)
    narrow = chosen.pop("narrow", None)
    if narrow:
        chosen["out_channels"] = narrow
        if kind == "effectivecan":
            chosen["key_dim"] = narrow
    return {**chosen, **work.scale.networks.get(kind, {})}
