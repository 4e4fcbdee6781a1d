"""Models, formats and measures from other packages, found by their entry points.

A package offers one with a line of its `pyproject.toml`, and nothing of it is imported before
somebody asks for it by name:

```toml
[project.entry-points."auscult.formats"]
plain = "our_package.plain"
```
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from auscult.core.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def discover(group: str, own: Collection[str] = ()) -> dict[str, EntryPoint]:
    """The plug-ins that installed packages offer in a group, by name; built-in names take
    precedence.

    >>> discover("auscult.nothing")
    {}
    """
    from importlib.metadata import entry_points  # not for nothing: it takes a tenth of a second

    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        taken = "Auscult itself" if point.name in own else _package(found.get(point.name))
        # A package that is on the path twice is no clash.
        if taken is None or (point.name in found and found[point.name].value == point.value):
            found[point.name] = point
        else:
            warnings.warn(
                f"{point.name} ({group}) of {_package(point)} is ignored: {taken} already "
                "provides that name.",
                stacklevel=3,
            )
    return found


def load(point: EntryPoint) -> object:
    """Import the object behind an entry point; errors name the package that provides it."""
    try:
        return point.load()
    except (ImportError, AttributeError, SyntaxError) as error:
        raise PluginError(point, f"cannot be imported: {type(error).__name__}: {error}") from error


def require_parts(point: EntryPoint, plugin: object, parts: Iterable[str], guide: str) -> None:
    """An error that lists what a plug-in lacks, and where it is written what it needs."""
    lacking = [part for part in parts if not hasattr(plugin, part)]
    if lacking:
        raise PluginError(point, f"lacks {', '.join(lacking)}. {guide}")


def _package(point: EntryPoint | None) -> str | None:
    if point is None:
        return None
    return point.dist.name if point.dist is not None else point.module
