"""What `auscult evaluate entities` prints for people; the report and --json have all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from auscult.cli.output import counted, table
from auscult.cli.several import ranged, shown

if TYPE_CHECKING:
    from auscult.core import Measure
    from auscult.evaluate.entities import EntitiesResult
    from auscult.evaluate.entities.result import Row, System

_TYPES = 20
_RECOGNISED = 10
_HEADINGS = {
    "overlap_paired": "paired",
    "span_overlap": "touched",
    "characters": "chars",
    "hierarchy_path": "path",
    "hierarchy_f1": "tree F1",
    "exact_set": "set",
    "set_f1": "set F1",
    "unseen_text": "new text",
    "unseen_concept": "new concept",
    "no_direct_match": "no match",
}
"""Headings that fit beside each other; the full names are in --json."""
_COMPARED = ("accuracy on all", "strict F1")


def say_entities(found: EntitiesResult) -> None:
    """Print the tables one after the other."""
    click.echo(
        f"{counted(found.notes, 'note')}, {counted(found.spans, 'gold span')}, "
        f"{found.several:,} of them with several concepts and {found.cui_less:,} CUI-less; "
        f"{counted(len(found.systems), 'system')}"
    )
    _say_rows(f"Accuracy by subset, rule {found.rule}", "subset", found.subsets)
    _say_each("Each system by subset", found, found.subsets)
    if found.types:
        first = dict(list(found.types.items())[:_TYPES])
        title = f"Accuracy by semantic type, rule {found.rule} (types from {found.types_from})"
        _say_rows(title, "semantic type", first)
    _say_each("All spans by every rule", found, found.rules)
    _say_panel(found)
    _say_recognised(found)
    _say_rest(found)
    _say_causes(found)
    _say_compared(found)
    _say_undefined(found)


def _percent(measure: Measure) -> str:
    return "–" if measure.value is None else f"{100 * measure.value:.1f}"


def _say_rows(title: str, what: str, rows: Mapping[str, Row]) -> None:
    listed = [
        [name, row.n, _percent(row.max), row.best or "", _percent(row.average),
         _percent(row.pooled)]
        for name, row in rows.items()
        if row.undefined is None
    ]  # fmt: skip
    click.echo()
    table(title, [what, "spans", "max %", "by", "average %", "pooled %"], listed)


def _say_each(title: str, found: EntitiesResult, rows: Mapping[str, Row]) -> None:
    defined = {name: row for name, row in rows.items() if row.undefined is None}
    listed = [
        [name, *(_percent(row.systems[name]) for row in defined.values())] for name in found.systems
    ]
    click.echo()
    table(title, ["%", *(_HEADINGS.get(name, name.replace("_", " ")) for name in defined)], listed)


def _say_panel(found: EntitiesResult) -> None:
    kinds = next(iter(found.systems.values())).panel
    click.echo()
    table(
        "End to end, F1; the last is no F1 but characters of both / of either side",
        ["", *(_HEADINGS.get(kind, kind) for kind in kinds), "IoU"],
        [
            [name, *(shown(one.f1) for one in system.panel.values()),
             shown(system.iou["character_iou"])]
            for name, system in found.systems.items()
        ],
    )  # fmt: skip
    click.echo()
    table(
        "Precision and recall",
        ["", "strict P", "strict R", "overlap P", "overlap R", "CUI-less P", "R", "F1"],
        [
            [name, *_two(system, "strict"), *_two(system, "overlap"),
             *(shown(m) for m in (system.cui_less.precision, system.cui_less.recall,
                                  system.cui_less.f1))]
            for name, system in found.systems.items()
        ],
    )  # fmt: skip


def _two(system: System, kind: str) -> tuple[str, str]:
    return shown(system.panel[kind].precision), shown(system.panel[kind].recall)


def _say_recognised(found: EntitiesResult) -> None:
    rows = [
        [kind, one.spans.n or 0, name, *map(_percent, (one.spans, one.concepts, one.precision))]
        for kind in list(next(iter(found.systems.values())).recognised)[: 1 + _RECOGNISED]
        for name, system in found.systems.items()
        for one in (system.recognised[kind],)
    ]
    click.echo()
    headings = ["semantic type", "spans", "system", "spans %", "concepts %", "precision %"]
    table("Spans found to the character, and with a right concept", headings, rows)


def _say_rest(found: EntitiesResult) -> None:
    rows = []
    for name, system in found.systems.items():
        parts, brittle, each = system.compounds, system.brittleness, system.volume
        ends = f"{brittle.best} → {brittle.worst}" if brittle.spread.value else ""
        rows.append(
            [
                name,
                shown(brittle.spread),
                ends,
                f"{parts.recovered:,} of {parts.compounds:,}",
                f"{parts.missed_with_a_part_right:,} of {parts.missed:,}",
                "–" if each.concepts_per_answer is None else f"{each.concepts_per_answer:.2f}",
            ]
        )
    click.echo()
    headings = ["", "brittleness", "from → to", "compounds", "missed, part right", "concepts/span"]
    table("Brittleness, compounds, concepts given on a span", headings, rows)


def _say_causes(found: EntitiesResult) -> None:
    kinds = next(iter(found.systems.values())).causes
    rows = [
        [kind.value, *(system.causes[kind] for system in found.systems.values())] for kind in kinds
    ]
    click.echo()
    table("Why gold spans are wrong", ["cause", *found.systems], rows)


def _say_compared(found: EntitiesResult) -> None:
    """The best system against the others; all pairs are in --json."""
    best = found.subsets["all"].best
    rows = [
        [name, f"{one.first} − {one.second}", shown(one.comparison.difference),
         ranged(one.comparison.difference), shown(one.comparison.p_value)]
        for name in _COMPARED
        for one in found.compared[name]
        if best in (one.first, one.second)
    ]  # fmt: skip
    if rows:
        click.echo()
        headings = ["", "systems", "difference", "95%", "p, Holm"]
        table(f"{best} against the others, paired over notes", headings, rows)


def _say_undefined(found: EntitiesResult) -> None:
    by_reason: dict[str, list[str]] = {}
    for name, row in (*found.subsets.items(), *found.rules.items()):
        if row.undefined is not None:
            by_reason.setdefault(row.undefined, []).append(name)
    if by_reason:
        click.echo()
    for reason, names in by_reason.items():
        click.echo(f"undefined: {', '.join(names)}: {reason}.")
