"""The tables of Cao et al. 2022 as data: results of two classifiers and three clinicians.

| name | is |
| --- | --- |
| `table4` | the language model's scores and ranks of 13 words, multiple-swap |
| `table5` | tf-idf + xgboost's, multiple-swap |
| `table6` | the language model's of 11 words, one-swap |
| `table7` | tf-idf + xgboost's, one-swap |
| `table8`, `table9` | ranks of 49 words by clinicians and both, one-swap |

The numbers are as printed, slips included: in Table 5 ten of the scores are those of Table 4, and
its ranks do not follow its scores.
"""

from __future__ import annotations

from importlib.resources import files

import polars as pl

from auscult.core.names import require_known

TABLES = tuple(f"table{number}" for number in range(4, 10))


def table(name: str) -> pl.DataFrame:
    """One of the published tables.

    >>> table("table8").head(1).rows()
    [('chemotherapy', 1.0, 15, 25)]
    """
    require_known(name, TABLES, "published table")
    return pl.read_csv((files(__name__) / f"{name}.csv").read_bytes())


def rankings() -> pl.DataFrame:
    """The 49 words of Tables 8 and 9: `word`, `manual`, `language`, `tf_idf`."""
    return pl.concat([table("table8"), table("table9")])
