"""Entities, Table 1: accuracy on subsets that measure robustness."""

from __future__ import annotations

from auscult.reproduce.contract import (
    Basis,
    Measured,
    Reproduction,
    ReproductionOutcome,
    above,
    grid,
)
from auscult.reproduce.entities.concepts import MCN, OURS, STAND_IN, TEAMS, normalized
from auscult.reproduce.work import Workspace

_SUBSETS = {
    "All": "all",
    "Top 100 CUI": "top_100",
    "Multi-word": "multi_word",
    "Unseen text": "unseen_text",
    "Unseen CUI": "unseen_concept",
    "Not direct match": "no_direct_match",
    "Unpopular CUI": "unpopular",
}
_COLUMNS = ("# Examples", "Max Acc", "Average Acc", "Pooled Acc")


def run(work: Workspace) -> ReproductionOutcome:
    """Count the spans of each subset, and how many the systems link correctly."""
    found, given, who = normalized(work)
    numbers = {}
    for row, name in _SUBSETS.items():
        one = found.subsets[name]
        numbers[f"{row} · # Examples"] = Measured(one.n, given.basis)
        for column, metric in zip(_COLUMNS[1:], (one.max, one.average, one.pooled), strict=True):
            numbers[f"{row} · {column}"] = Measured.of(metric, who, times=100, by=_by(who))
    return ReproductionOutcome(
        numbers, given.used, (f"Systems: {', '.join(found.systems)}.",), seeds=(0,)
    )


def _by(who: Basis) -> str | None:
    return OURS if who is Basis.STAND_IN else None


REPRODUCTION = Reproduction(
    name="entities-table-1",
    paper="entities",
    label="Table 1",
    title="Entity linking accuracy by subset, gold spans given",
    needs=f"{MCN}; {TEAMS}",
    stand_in=STAND_IN,
    options=("mcn", "umls", "mcn-systems", "ncbi"),
    calls=(
        "auscult vocab build META umls --sab SNOMEDCT_US --sab RXNORM",
        "auscult corpus import mcn MCN concepts",
        "auscult evaluate entities concepts team-1 team-2 --train-corpus concepts "
        "--vocabulary umls "
        "--split test --rule first",
    ),
    run=run,
    published=grid(
        _COLUMNS,
        {
            "All": (6925, 85.2, 81.1, 92.7),
            "Top 100 CUI": (1891, 95.3, 91.1, 98.1),
            "Multi-word": (2755, 81.9, 74.3, 91.3),
            "Unseen text": (2910, 69.5, 60.7, 86.0),
            "Unseen CUI": (2067, 69.3, 61.3, 81.9),
            "Not direct match": (1682, 64.4, 50.9, 84.0),
            "Unpopular CUI": (114, 7.0, 2.3, 14.0),
        },
        within=(25, 0.1, 0.1, 0.1),
        style=(",.0f", ".1f", ".1f", ".1f"),
    ),
    claims=(
        above("Top 100 CUI · Max Acc", "All · Max Acc",
              "Accuracy is highest for frequent concepts."),
        above("All · Max Acc", "Unseen CUI · Max Acc",
              "Accuracy is far lower for concepts unseen in training."),
        above("All · Max Acc", "Not direct match · Max Acc",
              "It is also lower for spans without an exact match in the vocabulary."),
        above("Not direct match · Max Acc", "Unpopular CUI · Max Acc",
              "It is lowest for spans that usually mean another concept."),
        above("All · Pooled Acc", "All · Max Acc",
              "Pooled, all systems are correct more often than the best one."),
    ),
    remark="The subsets depend on how texts are matched and on the release of the UMLS, so"
        " their sizes have a tolerance of 25. The accuracies need the teams' own "
        "submissions.",
)  # fmt: skip
