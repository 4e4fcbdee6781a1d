"""The entity benchmark: any number of systems against gold, on every subset and by every rule.

Agrawal et al. 2020, "Robust Benchmarking for Machine Learning of Clinical Entity Extraction":
Table 1 and appendix B are `subsets` and `types`, Table 3 is `recognized` of each system, and the
analysis of section 5.3 its `compounds`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from auscult.codes.vocabulary import Vocabulary
from auscult.core import Metric, OptionError
from auscult.core.names import require_known
from auscult.core.option_names import option
from auscult.core.version import __version__
from auscult.corpus import Corpus
from auscult.corpus.provenance import corpus_digest, files_digest
from auscult.evaluate.entities import brittleness, end_to_end, hierarchy, linking
from auscult.evaluate.entities.brittleness import Brittleness
from auscult.evaluate.entities.causes import CAUSES, causes
from auscult.evaluate.entities.compounds import Nesting, compounds, nesting
from auscult.evaluate.entities.counting import AVERAGE, POOLED, RULES, EntityCounter, SystemRun
from auscult.evaluate.entities.end_to_end import EndToEndCounts
from auscult.evaluate.entities.gather import GOLD, EntityInputs, gather
from auscult.evaluate.entities.marked_spans import NONE, Bools
from auscult.evaluate.entities.result import (
    ComparedSystems,
    EntitiesResult,
    EntitySystem,
    Ratios,
    RecognitionRow,
    SubsetRow,
    Volume,
)
from auscult.evaluate.entities.settings import EntitySettings
from auscult.evaluate.entities.subsets import ALL, Subset, by_type, subsets
from auscult.evaluate.entities.tally import NoteTally
from auscult.evaluate.matching import MatchMetrics, metric_counts
from auscult.evaluate.sides import CountedCharts

Measures = Mapping[tuple[str, ...], Metric]

_NO_PARENTS = (
    "the vocabulary has no parents of these concepts (a UMLS vocabulary has them "
    "if MRREL.RRF was present when it was built)"
)
_POOLED_DEFINITIONS = {
    AVERAGE: "mean of the systems' accuracies",
    POOLED: "share of spans that at least one system has right",
}
_RESERVED = frozenset({GOLD, "max", AVERAGE, POOLED})
_COMPARED = ("strict", "overlap")
_CUI_LESS = (
    "predicting CUI-less on a gold span; spans with near matches beside CUI-less are left out"
)


def evaluate_entities(
    gold: Corpus,
    systems: Mapping[str, Corpus],
    *,
    train: Corpus | None = None,
    vocabulary: Vocabulary | None = None,
    rule: str = "any",
    settings: EntitySettings | None = None,
    annotator: str | None = None,
    split: str | Collection[str] | None = None,
    note_category: Collection[str] = (),
    charts: CountedCharts = CountedCharts.ANNOTATED,
    times: int = 1000,
    seed: int = 0,
) -> EntitiesResult:
    """Evaluate entity systems against gold, with intervals from `times` resamples of the notes.

    `rule` names one of `RULES`, by which the subsets are evaluated. Every corpus holds the
    annotations of one annotator.

    >>> from auscult.core import Annotation, Code, Note, Span
    >>> note = Note("n", "c", text="Severe asthma. Cold.")
    >>> def annotations_of(who, *rows):
    ...     of = [Annotation(who, Code("UMLS", c), "c", "n", (Span(b, e),)) for c, b, e in rows]
    ...     return Corpus.of([note], of)
    >>> gold = annotations_of("gold", ("C1", 0, 13), ("C2", 7, 13), ("C3", 15, 19))
    >>> system = annotations_of("system", ("C2", 7, 13), ("C9", 15, 19))
    >>> found = evaluate_entities(gold, {"mine": system}, times=0)
    >>> print(found.subsets["all"].systems["mine"])
    all = 0.333
    >>> {cause.value: count for cause, count in found.systems["mine"].causes.items() if count}
    {'missed': 1, 'other concept': 1}
    """
    settings = settings or EntitySettings()
    require_known(rule, RULES, "rule")
    if reserved := systems.keys() & _RESERVED:
        raise OptionError(f"No system can be called {min(reserved)}; give it another name.")
    bench = gather(
        gold,
        systems,
        train=train,
        vocabulary=vocabulary,
        settings=settings,
        annotator=annotator,
        split=split,
        note_category=note_category,
        charts=charts,
    )
    no_hierarchy = _why_no_hierarchy(bench)
    if rule in hierarchy.RULES and no_hierarchy:
        raise OptionError(
            f"The rule {rule} needs the parents of concepts, but {no_hierarchy}. Choose "
            "another rule, or a vocabulary built from an ontology, ICD or a table with the "
            "column parents."
        )
    ran = {name: _run(bench, name, settings, no_hierarchy is None) for name in systems}
    chosen = _choose(bench, settings)
    counting = _count(bench, ran, chosen, rule, settings)
    metrics = counting.tally.metrics(times=times, seed=seed)
    cui_less = _cui_less(bench, ran, chosen.subsets["unseen_text"], times, seed)
    nested = nesting(bench.gold, chosen.findable)
    several = sum(len(bench.concepts_of[at]) > 1 for at in np.flatnonzero(bench.asked).tolist())
    less = bench.gold.where(bench.gold.pair_concept == NONE)
    return EntitiesResult(
        rule=rule,
        settings=settings,
        notes=bench.notes,
        spans=int(bench.asked.sum()),
        several=several,
        cui_less=int((less & bench.asked).sum()),
        subsets={
            name: _row("subset", RULES[rule], one, metrics, ran)
            for name, one in chosen.subsets.items()
        },
        types={
            name: _row("type", RULES[rule], one, metrics, ran) for name, one in chosen.types.items()
        },
        types_from=bench.types_from,
        rules={
            name: _rule_row(name, chosen.subsets[ALL], metrics, ran, no_hierarchy) for name in RULES
        },
        systems={
            name: _system(bench, name, one, metrics, chosen, cui_less[name], nested)
            for name, one in ran.items()
        },
        compared=_compare(counting.tally, list(ran), chosen.subsets, times, seed),
        remarks=bench.remarks,
        about={
            "auscult": __version__,
            "gold": described(gold),
            "annotator": bench.annotator,
            "split": split if split is None or isinstance(split, str) else sorted(split),
            "note_category": list(note_category),
            "notes": charts.value,
            "systems": {name: described(system) for name, system in systems.items()},
            "train": None if train is None else described(train),
            "vocabulary": None if vocabulary is None else _vocabulary(vocabulary),
            "bootstrap": times,
            "seed": seed,
        },
        gathered=bench,
    )


def described(corpus: Corpus) -> dict[str, str | None]:
    """The name of a corpus, and its digest if it came from disk."""
    # Where it is on disk, the digest that can be looked up there.
    return {
        "name": corpus.manifest.name,
        "digest": files_digest(corpus) or corpus_digest(corpus),
    }


def _vocabulary(vocabulary: Vocabulary) -> dict[str, str | None]:
    return {"name": vocabulary.manifest.name, "digest": vocabulary.manifest.digest}


@dataclass(frozen=True, slots=True, repr=False)
class _Chosen:
    """The spans that are looked at: by subset, by type, those to be found end to end, and the
    subsets and types that are large enough for brittleness."""

    subsets: dict[str, Subset]
    types: dict[str, Subset]
    findable: Bools
    recognized: dict[str, Subset]
    large: dict[str, list[Subset]]


def _choose(bench: EntityInputs, settings: EntitySettings) -> _Chosen:
    chosen = subsets(
        bench.texts,
        bench.concepts_of,
        bench.asked,
        bench.training,
        bench.terminology,
        settings,
        bench.concepts,
    )
    types = by_type(bench.types, bench.asked, settings.least)
    findable = bench.gold.where(bench.gold.pair_concept != NONE)
    if settings.finds_cui_less:
        findable = np.ones(len(bench.gold), dtype=np.bool_)
    large = {
        kind: [subset for subset in some.values() if len(subset) >= settings.least_spread]
        for kind, some in (("subset", chosen), ("type", types))
    }
    every = {ALL: Subset(ALL, "every span", findable)}
    recognized = {**every, **by_type(bench.types, findable, settings.least)}
    return _Chosen(chosen, types, findable, recognized, large)


def _count(
    bench: EntityInputs,
    ran: Mapping[str, SystemRun],
    chosen: _Chosen,
    rule: str,
    settings: EntitySettings,
) -> EntityCounter:
    counting = EntityCounter(bench, ran, settings)
    counting.rows("subset", rule, chosen.subsets)
    counting.rows("type", rule, chosen.types)
    for name in RULES:
        counting.rows(f"rule {name}", name, {ALL: chosen.subsets[ALL]})
    counting.end_to_end()
    counting.recognized(chosen.recognized)
    for kind, large in chosen.large.items():
        counting.spread(kind, large)
    return counting


def _why_no_hierarchy(bench: EntityInputs) -> str | None:
    if bench.terminology is None:
        return f"there is no vocabulary with parents ({option('--vocabulary')})"
    every = frozenset(range(1, len(bench.concepts)))
    return None if bench.terminology.has_hierarchy(every) else _NO_PARENTS


def _cui_less(
    bench: EntityInputs, ran: Mapping[str, SystemRun], unseen: Subset, times: int, seed: int
) -> dict[str, dict[str, MatchMetrics]]:
    """The CUI-less metrics of every system: on all spans, on seen and on unseen texts."""
    among = {ALL: np.ones(len(bench.gold), dtype=np.bool_)}
    if unseen.undefined is None:
        among |= {"seen": ~unseen.spans, "unseen": unseen.spans}
    counts = {
        f"{name} {kind}": linking.cui_less_by_note(
            bench.gold, bench.systems[name], one.given, bench.notes, chosen & bench.asked
        )
        for name, one in ran.items()
        for kind, chosen in among.items()
    }
    found = metric_counts(counts, dict.fromkeys(counts, _CUI_LESS), times=times, seed=seed)
    return {name: {kind: found[f"{name} {kind}"] for kind in among} for name in ran}


def _system(
    bench: EntityInputs,
    name: str,
    one: SystemRun,
    metrics: Measures,
    chosen: _Chosen,
    cui_less: Mapping[str, MatchMetrics],
    nested: Nesting,
) -> EntitySystem:
    return EntitySystem(
        name=name,
        volume=_volume(bench, name, one),
        panel={kind: _ratios(metrics, name, kind, one.found) for kind in end_to_end.PANEL},
        iou={kind: metrics["iou", name, kind] for kind in end_to_end.IOU},
        cui_less=cui_less[ALL],
        cui_less_by_text={kind: one for kind, one in cui_less.items() if kind != ALL},
        recognized=_recognized(metrics, "exact", name, chosen.recognized),
        recognized_by_overlap=_recognized(metrics, "overlap", name, chosen.recognized),
        compounds=compounds(nested, one.given.same >= 0, one.found.is_right),
        brittleness=_brittleness(metrics, "subset", name, chosen.large["subset"]),
        brittleness_by_type=_brittleness(metrics, "type", name, chosen.large["type"]),
        causes={cause: int((one.placed == at).sum()) for at, cause in enumerate(CAUSES)},
        placed=one.placed,
        overlaps=one.found.pairs,
    )


def _run(
    bench: EntityInputs, name: str, settings: EntitySettings, has_hierarchy: bool
) -> SystemRun:
    gold, system, concepts = bench.gold, bench.systems[name], len(bench.concepts)
    given = linking.answers(gold, system, concepts, settings.silence)
    found = end_to_end.find(gold, system, given, settings, concepts, bench.notes)
    spans = {**linking.outcomes(gold, given, concepts), **found.spans}
    if has_hierarchy and bench.terminology is not None:
        spans |= hierarchy.credit(gold, given, spans["first"], bench.terminology)
    placed = causes(
        gold, system, given, found, bench.asked, bench.texts, bench.terminology, bench.training
    )
    return SystemRun(given, found, spans, placed)


def _row(
    kind: str,
    definition: str,
    subset: Subset,
    metrics: Measures,
    ran: Mapping[str, SystemRun],
) -> SubsetRow:
    def metric(who: str, definition: str) -> Metric:
        found = metrics[kind, who, subset.name]
        label = who if who in _POOLED_DEFINITIONS else found.name
        return replace(found, name=label, definition=definition)

    return SubsetRow(
        subset.name,
        subset.definition,
        len(subset),
        {system: metric(system, definition) for system in ran},
        metric(AVERAGE, _POOLED_DEFINITIONS[AVERAGE]),
        metric(POOLED, _POOLED_DEFINITIONS[POOLED]),
        subset.undefined,
    )


def _rule_row(
    rule: str,
    every: Subset,
    metrics: Measures,
    ran: Mapping[str, SystemRun],
    no_hierarchy: str | None,
) -> SubsetRow:
    if rule in hierarchy.RULES and no_hierarchy:
        nothing = Metric(rule, RULES[rule], undefined=no_hierarchy)
        systems = dict.fromkeys(ran, nothing)
        return SubsetRow(rule, RULES[rule], len(every), systems, nothing, nothing, no_hierarchy)
    found = _row(f"rule {rule}", RULES[rule], every, metrics, ran)
    return replace(found, name=rule, definition=RULES[rule])


def _ratios(metrics: Measures, name: str, kind: str, found: EndToEndCounts) -> Ratios:
    numbers = found.panel[kind].sum(axis=0)
    return Ratios(
        kind,
        end_to_end.PANEL[kind],
        metrics["panel", name, kind, "precision"],
        metrics["panel", name, kind, "recall"],
        metrics["panel", name, kind, "f1"],
        (int(numbers[0]), int(numbers[1]), int(numbers[2]), int(numbers[3])),
    )


def _recognized(
    metrics: Measures, kind: str, name: str, chosen: Mapping[str, Subset]
) -> dict[str, RecognitionRow]:
    columns = ("spans", "concepts", "precision")
    return {
        one: RecognitionRow(*(metrics[f"recognized {kind}", name, one, c] for c in columns))
        for one in chosen
    }


def _brittleness(
    metrics: Measures, kind: str, name: str, chosen: Collection[Subset]
) -> Brittleness:
    names = [subset.name for subset in chosen]
    ends = brittleness.ends(names, [metrics[kind, name, one] for one in names])
    found = metrics[f"spread {kind}", name]
    shown = Metric(
        "brittleness", found.definition, found.value, found.interval, found.n, found.undefined
    )
    return Brittleness(shown, *ends)


def _volume(bench: EntityInputs, name: str, one: SystemRun) -> Volume:
    system = bench.systems[name]
    answered = one.given.same >= 0
    number = int(answered.sum())
    given = int(one.given.given[answered].sum())
    touched = len(np.unique(one.found.pairs[1]))
    return Volume(
        len(system),
        len(system.pair_span),
        number,
        given / number if number else None,
        len(system) - touched,
    )


def _compare(
    noted: NoteTally, systems: list[str], chosen: Mapping[str, Subset], times: int, seed: int
) -> dict[str, list[ComparedSystems]]:
    keys: dict[str, list[tuple[str, ...]]] = {
        f"accuracy on {name}": [("subset", system, name) for system in systems]
        for name, subset in chosen.items()
        if len(subset)
    }
    keys["lenient accuracy"] = [("rule lenient", system, ALL) for system in systems]
    keys |= {
        f"{kind} F1": [("panel", system, kind, "f1") for system in systems] for kind in _COMPARED
    }
    found = noted.compare(keys, times=times, seed=seed)
    return {
        name: [ComparedSystems(systems[a], systems[b], one) for a, b, one in pairs]
        for name, pairs in found.items()
    }
