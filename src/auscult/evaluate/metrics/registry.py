"""The registry of code metrics: Auscult's own, and those of installed packages.

Results, reports, challenges and the documentation take names and definitions from here. Packages
add metrics with entry points of the group `auscult.metrics` (the contract is in `from_sides.py`);
they are imported only when codes are evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from auscult.core import AuscultError, PluginError, plugins
from auscult.core.metric_definition import MetricDefinition
from auscult.core.names import require_known
from auscult.evaluate.metrics import (
    area_under_curve,
    cost_sensitive,
    exact_match,
    macro,
    micro,
    top_ranked,
)
from auscult.evaluate.metrics.contract import MetricFamily
from auscult.evaluate.metrics.from_sides import GUIDE, ChartSums, SidesMetric, chart_sums, defined
from auscult.evaluate.sides import Sides
from auscult.statistics.cost_sensitive import PAPER, Costs

PLUGINS = "auscult.metrics"


def families(costs: Costs = PAPER) -> tuple[MetricFamily, ...]:
    """Auscult's own metrics, in the order in which results list them."""
    return (
        micro.FAMILY,
        exact_match.FAMILY,
        cost_sensitive.family(costs),
        macro.FAMILY,
        top_ranked.FAMILY,
        area_under_curve.FAMILY,
    )


def builtin(costs: Costs = PAPER) -> dict[str, MetricDefinition]:
    """Auscult's own metrics by name.

    >>> builtin()["micro_f1"].label
    'micro-F1'
    """
    return {one.name: one for family in families(costs) for one in family.metrics}


def plugin_names() -> tuple[str, ...]:
    """The metrics that installed packages add."""
    return tuple(plugins.discover(PLUGINS, builtin()))


def plugin(name: str) -> SidesMetric:
    """A metric that an installed package adds."""
    offered = plugins.discover(PLUGINS, builtin())
    require_known(name, offered, "metric of another package")
    found = plugins.load(offered[name])
    if not callable(found):
        raise PluginError(offered[name], f"is no function. {GUIDE}")
    if not defined(name, found).definition:
        raise PluginError(offered[name], f"has no docstring, which is its definition. {GUIDE}")
    return cast(SidesMetric, found)


def definitions(costs: Costs = PAPER) -> dict[str, MetricDefinition]:
    """Every metric by name, those of installed packages last."""
    return {**builtin(costs), **{name: defined(name, plugin(name)) for name in plugin_names()}}


def plugin_sums(sides: Sides, names: Sequence[str] | None = None) -> dict[str, ChartSums]:
    """The values of installed metrics for two sides; if one fails, the others are still computed.

    With many sides, `names` avoids a search for installed metrics each time.
    """
    chosen = plugin_names() if names is None else names
    return {name: _tolerant(name, sides) for name in chosen}


def sums_of(metrics: Mapping[str, SidesMetric], sides: Sides) -> dict[str, ChartSums]:
    """The values of functions that are not plug-ins; one that fails is an error."""
    return {name: chart_sums(how, sides, name) for name, how in metrics.items()}


def require_new(names: Sequence[str]) -> None:
    """Raise an error if a metric has the name of one of Auscult's own."""
    if taken := sorted(set(names) & set(builtin())):
        raise AuscultError(f"Auscult has a metric {taken[0]} already; choose another name.")


def _tolerant(name: str, sides: Sides) -> ChartSums:
    try:
        return chart_sums(plugin(name), sides, name)
    except AuscultError as error:
        why = str(error)
    except Exception as error:  # its message may quote notes, so its kind must do
        why = f"the plug-in failed with {type(error).__name__}"
    return ChartSums(MetricDefinition(name, "of another package"), None, why.rstrip("."))
