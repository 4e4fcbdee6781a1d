"""Which of a coder's annotations it gave, and which it only ranked or was asked about.

A code that does not pass the threshold can be written down all the same, for two reasons: rankings
are measured beyond the threshold, and evidence is measured for the codes that gold has, whatever
the coder thinks of them. Such annotations say so in their `meta`. The two must not be mixed up: a
code that was asked for because gold has it would make a ranking look better than it is.
"""

from __future__ import annotations

import polars as pl

from auscult.core import Annotation

BELOW = "below"
"""The entry of `meta` that marks a code which was not given."""
RANKED = "threshold"
"""Its value where the code is among the highest below the threshold."""
ASKED = "asked"
"""Its value where somebody asked for the code."""
_MARK = pl.col("meta").str.json_path_match(f"$.{BELOW}")


def is_given(annotation: Annotation) -> bool:
    """Whether the code was given."""
    return BELOW not in annotation.meta


def is_below() -> pl.Expr:
    """Whether the code of a row was not given."""
    return _MARK.is_not_null().alias("below")


def is_asked() -> pl.Expr:
    """Whether the code of a row was only asked for, so that no ranking may have it."""
    return (_MARK == ASKED).fill_null(value=False).alias("asked")
