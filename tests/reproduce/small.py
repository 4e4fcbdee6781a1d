"""A scale on which everything runs in seconds, for tests."""

from __future__ import annotations

from pathlib import Path

from auscult.reproduce.sources import DataSources
from auscult.reproduce.work import Scale, Workspace

TINY = Scale(
    patients=24,
    second_patients=12,
    runs=1,
    network={"epochs": 1, "max_length": 200, "embedding_dim": 8, "narrow": 8, "threads": 1},
    charts=8,
    least=2,
    trees=(24,),
    bert={"epochs": 1, "max_length": 60, "threads": 1, "batch_size": 8, "learning_rate": 1e-3},
    bert_seeds=(0,),
    language_model=2,
    audited=2,
    generator={"epochs": 1, "threads": 1},
    classifier={"epochs": 1, "threads": 1},
    records=120,
    concept_notes=2,
    resamples=10,
)


def work_in(folder: Path, **sources: Path) -> Workspace:
    """A folder to work in, with sources if there are any."""
    given = {name.replace("_", "-"): path for name, path in sources.items()}
    return Workspace(folder, DataSources(given), scale=TINY)
