"""Mapping the codes of a whole corpus to the other revision of ICD."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cache

import polars as pl

from auscult.codes.gems import DIRECTIONS, Gems
from auscult.codes.mapping import Absence, Mapped, MappingStep, map_code, preferred_codes
from auscult.core import Annotation, Code, OptionError
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.schema import annotations_table

_REVISIONS = {"ICD-9-CM": ("ICD-9-CM", "ICD-9-PCS"), "ICD-10-CM": ("ICD-10-CM", "ICD-10-PCS")}


@dataclass(frozen=True, slots=True)
class MappedCorpus:
    """A corpus with its codes mapped, and how the mappings were decided.

    `steps` counts annotations by the step that decided. `absent` lists the codes that the mappings
    do not have, by the reason why; `unmapped` those that have no equivalent; `kept` the systems
    that could be mapped but for which there were no mappings.
    """

    corpus: Corpus
    steps: dict[str, int]
    absent: dict[str, tuple[str, ...]]
    unmapped: tuple[str, ...]
    kept: tuple[str, ...] = ()


def map_corpus(
    corpus: Corpus,
    to: str,
    gems_of: Callable[[str, str], Gems | None],
    *,
    prefer: Collection[str] = frozenset(),
) -> MappedCorpus:
    """Map every annotation to the revision `to`, procedures to its part for procedures.

    `gems_of` gives the mappings for a direction, or None, and then those codes stay. Where a code
    has several equivalents, one that the chart itself carries in the target system comes first,
    then one in `prefer`, then the one whose description fits best. Annotations of other systems
    stay as they are. An annotation whose code has no equivalent keeps its code; nothing is dropped.
    Each mapped annotation says in its meta what it was (`mapped_from`) and which step decided
    (`mapped_step`).
    """
    if to not in _REVISIONS:
        raise OptionError(f"Codes can be mapped to {' or '.join(_REVISIONS)}; got {to!r}.")
    targets = {source: target for source, target in DIRECTIONS if target in _REVISIONS[to]}
    present = set(corpus.lazy_annotations.select("system").unique().collect()["system"])
    if not present & targets.keys():
        raise OptionError(
            f"The corpus has no codes that can be mapped to {to}; its code systems: "
            f"{', '.join(sorted(present)) or 'none'}."
        )
    mappable = sorted(present & targets.keys())
    given = {source: gems_of(source, targets[source]) for source in mappable}
    gems = {source: mappings for source, mappings in given.items() if mappings is not None}
    if not gems:
        raise OptionError(
            f"Mapping {' and '.join(mappable)} needs CMS's files: pass their folder with --gems."
        )
    carried = _carried(corpus, set(targets.values()))
    preferred = preferred_codes(prefer, *sorted({targets[source] for source in gems}))

    @cache
    def look_up(code: Code, mine: frozenset[str]) -> Mapped:
        return map_code(code, gems[code.system], among=[("chart", mine), ("set", preferred)])

    steps: Counter[str] = Counter()
    absent: dict[Absence, set[str]] = {}
    unmapped: set[str] = set()
    made: list[Annotation] = []
    total = corpus.lazy_all_annotations.select(pl.len()).collect().item()
    for annotation in track(corpus.iter_annotations(every_status=True), "mapping codes", total):
        code = annotation.code
        if code.system not in gems:
            made.append(annotation)
            continue
        mine = carried.get((annotation.chart_id, targets[code.system]), frozenset())
        found = look_up(code, mine)
        steps[found.step] += 1
        if found.absent is not None:
            absent.setdefault(found.absent, set()).add(str(code))
        if found.code is None:
            unmapped.add(str(code))
        about = {"mapped_from": str(code), "mapped_step": str(found.step)}
        if found.alternatives:
            about["mapped_alternatives"] = json.dumps(found.alternatives)
        made.append(replace(annotation, code=found.code or code, meta={**annotation.meta, **about}))
    return MappedCorpus(
        replace(corpus, lazy_all_annotations=annotations_table(made).lazy(), path=None),
        {step.value: steps[step] for step in MappingStep},
        {why.value: tuple(sorted(absent[why])) for why in Absence if why in absent},
        tuple(sorted(unmapped)),
        tuple(sorted(given.keys() - gems.keys())),
    )


def _carried(corpus: Corpus, systems: set[str]) -> dict[tuple[str, str], frozenset[str]]:
    """The codes of the target systems that each chart has already."""
    rows = (
        corpus.lazy_annotations.filter(pl.col("system").is_in(sorted(systems)))
        .group_by("chart_id", "system")
        .agg(pl.col("code").unique())
        .collect()
    )
    return {(chart, system): frozenset(codes) for chart, system, codes in rows.iter_rows()}
