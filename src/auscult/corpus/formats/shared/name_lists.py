"""Several names in one field: between semicolons, or as JSON where a name has one in it."""

from __future__ import annotations

import json
from collections.abc import Sequence

_BETWEEN = ";"


def join(names: Sequence[str]) -> str | None:
    """Names as one field; none for nobody.

    >>> join(["ann", "bob"]), join(["a;b"]), join([])
    ('ann;bob', '["a;b"]', None)
    """
    if not names:
        return None
    field = _BETWEEN.join(names)
    return field if split(field) == tuple(names) else json.dumps(list(names), ensure_ascii=False)


def split(field: str | None) -> tuple[str, ...]:
    """The names in a field, as `join` or a person wrote them.

    >>> split("ann; bob"), split(None)
    (('ann', 'bob'), ())
    """
    try:
        names = json.loads(field) if field and field.startswith("[") else None
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        names = [name.strip() for name in (field or "").split(_BETWEEN) if name.strip()]
    return tuple(names)
