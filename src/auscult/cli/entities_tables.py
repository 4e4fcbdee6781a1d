"""Tables that `auscult evaluate entities` prints; the report and --json have everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from auscult.cli.annotator_options import ranged, shown
from auscult.cli.output import counted, table

if TYPE_CHECKING:
    from auscult.core import Metric
    from auscult.evaluate.entities import EntitiesResult
    from auscult.evaluate.entities.result import EntitySystem, SubsetRow

_TYPES = 20
_RECOGNIZED = 10
_COMPARED = ("accuracy on all", "strict F1")
_LEVEL = 0.05


def say_entities(found: EntitiesResult) -> None:
    """Print the tables one after the other."""
    click.echo(
        f"{counted(found.notes, 'note')}, {counted(found.spans, 'gold span')}, "
        f"{found.several:,} of them with several concepts and {found.cui_less:,} CUI-less; "
        f"{counted(len(found.systems), 'system')}"
    )
    _say_rows(f"Accuracy by subset, rule {found.rule}", "subset", found.subsets)
    _say_each("Each system by subset, % (95%)", "subset", found, found.subsets)
    if found.types:
        first = dict(list(found.types.items())[:_TYPES])
        title = f"Accuracy by semantic type, rule {found.rule} (types from {found.types_from})"
        _say_rows(title, "semantic type", first)
    _say_each("All spans by every rule, % (95%)", "rule", found, found.rules)
    _say_panel(found)
    _say_recognized(found)
    _say_cui_less(found)
    _say_rest(found)
    _say_causes(found)
    _say_compared(found)
    _say_undefined(found)


def _percent(metric: Metric) -> str:
    return "–" if metric.value is None else f"{100 * metric.value:.1f}"


def _with_interval(metric: Metric, scale: int = 100, style: str = ".1f") -> str:
    """The value and, behind it in brackets, from where to where."""
    if metric.value is None:
        return "–"
    value = f"{scale * metric.value:{style}}"
    if metric.interval is None:
        return value
    low, high = (f"{scale * edge:{style}}" for edge in metric.interval)
    return f"{value} ({low}–{high})"


def _f1(metric: Metric) -> str:
    return _with_interval(metric, 1, ".3f")


def _say_rows(title: str, what: str, rows: Mapping[str, SubsetRow]) -> None:
    listed = [
        [name, row.n, _percent(row.max), row.best or "", _percent(row.average),
         _percent(row.pooled)]
        for name, row in rows.items()
        if row.undefined is None
    ]  # fmt: skip
    click.echo()
    table(title, [what, "spans", "max %", "by", "average %", "pooled %"], listed)


def _say_each(title: str, what: str, found: EntitiesResult, rows: Mapping[str, SubsetRow]) -> None:
    listed = [
        [name, *(_with_interval(row.systems[system]) for system in found.systems)]
        for name, row in rows.items()
        if row.undefined is None
    ]
    click.echo()
    table(title, [what, *found.systems], listed)


def _say_panel(found: EntitiesResult) -> None:
    systems = found.systems.values()
    first = next(iter(systems))
    rows = [[kind, *(_f1(system.panel[kind].f1) for system in systems)] for kind in first.panel] + [
        [kind, *(_f1(system.iou[kind]) for system in systems)] for kind in first.iou
    ]
    click.echo()
    title = "End to end (NER and linking), F1 (95%); IoU is characters of both / of either side"
    table(title, ["counted by", *found.systems], rows)
    click.echo()
    headings = ["", "strict P", "strict R", "overlap P", "overlap R"]
    listed = [
        [name, *_two(system, "strict"), *_two(system, "overlap")]
        for name, system in found.systems.items()
    ]
    table("Precision and recall", headings, listed)


def _two(system: EntitySystem, kind: str) -> tuple[str, str]:
    return shown(system.panel[kind].precision), shown(system.panel[kind].recall)


def _say_cui_less(found: EntitiesResult) -> None:
    rows: list[Sequence[object]] = []
    for name, system in found.systems.items():
        kinds = {"all": system.cui_less, **system.cui_less_by_text}
        for kind, one in kinds.items():
            counts = one.counts
            number = 0 if counts is None else counts.tp + counts.fn
            rows.append([name, kind, number, shown(one.precision), shown(one.recall), _f1(one.f1)])
    click.echo()
    headings = ["", "text", "spans", "precision", "recall", "F1 (95%)"]
    table("CUI-less spans, by text seen and unseen in training", headings, rows)


def _say_recognized(found: EntitiesResult) -> None:
    rows = [
        [kind, one.spans.n or 0, name, *map(_percent, (one.spans, one.concepts, one.precision))]
        for kind in list(next(iter(found.systems.values())).recognized)[: 1 + _RECOGNIZED]
        for name, system in found.systems.items()
        for one in (system.recognized[kind],)
    ]
    click.echo()
    headings = ["semantic type", "spans", "system", "spans %", "concepts %", "precision %"]
    table("Exact spans found, and linked to a correct concept", headings, rows)


def _say_rest(found: EntitiesResult) -> None:
    brittle = [
        [name, shown(found.subsets["all"].systems[name]), _f1(one.spread),
         "–" if one.lost is None else f"{one.lost:.0%}",
         f"{one.best} → {one.worst}" if one.spread.value else ""]
        for name, one in ((name, s.brittleness) for name, s in found.systems.items())
    ]  # fmt: skip
    click.echo()
    title = "Brittleness: accuracy lost from the best subset to the worst, and as a fraction"
    table(title, ["", "accuracy", "lost (95%)", "fraction", "from → to"], brittle)
    rows = []
    for name, system in found.systems.items():
        parts, each = system.compounds, system.volume.concepts_per_answer
        rows.append(
            [
                name,
                f"{parts.recovered:,} of {parts.compounds:,}",
                f"{parts.missed_with_a_part_right:,} of {parts.missed:,}",
                system.volume.nowhere,
                "–" if each is None else f"{each:.2f}",
            ]
        )
    click.echo()
    headings = ["", "compounds", "missed, part correct", "off gold spans", "concepts/span"]
    table("Compound mentions, and number of predictions", headings, rows)


def _say_causes(found: EntitiesResult) -> None:
    kinds = next(iter(found.systems.values())).causes
    rows = [
        [kind.value, *(system.causes[kind] for system in found.systems.values())] for kind in kinds
    ]
    click.echo()
    table("Errors by cause", ["cause", *found.systems], rows)


def _say_compared(found: EntitiesResult) -> None:
    """The best system against the others, overall and on subsets where it differs."""
    best = found.subsets["all"].best
    rows = [
        [name, f"{one.first} − {one.second}", shown(one.comparison.difference),
         ranged(one.comparison.difference), shown(one.comparison.p_value)]
        for name, pairs in found.compared.items()
        for one in pairs
        if best in (one.first, one.second)
        and (name in _COMPARED or (one.comparison.p_value.value or 1.0) < _LEVEL)
    ]  # fmt: skip
    if not rows:
        return
    click.echo()
    headings = ["", "systems", "difference", "95%", "p, Holm"]
    table(f"{best} compared with the others, paired over notes", headings, rows)
    if (least := found.least_p) is not None:
        click.echo(
            f"Other metrics are listed where p < {_LEVEL}. The smallest possible p is {least:.4f}, "
            "given the number of notes, permutations (--bootstrap) and pairs."
        )


def _say_undefined(found: EntitiesResult) -> None:
    by_reason: dict[str, list[str]] = {}
    for name, row in (*found.subsets.items(), *found.rules.items()):
        if row.undefined is not None:
            by_reason.setdefault(row.undefined, []).append(name)
    if by_reason:
        click.echo()
    for reason, names in by_reason.items():
        click.echo(f"undefined: {', '.join(names)}: {reason}.")
