"""All tables and figures of the five papers, one module each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from auscult.core.names import require_known
from auscult.reproduce.contract import Reproduction


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, and the modules of its tables and figures in the order of the paper."""

    name: str
    cited: str
    modules: tuple[str, ...]


PAPERS = (
    Paper(
        "mdace",
        "Cheng et al. 2023, “MDACE: MIMIC Documents Annotated with Code Evidence”",
        (
            "table1", "table2", "table3", "table4", "table5", "table6", "figure1", "figure2",
            "table7", "table8", "table9", "table10", "table11", "released",
        ),
    ),
    Paper(
        "challenge",
        "Pestian et al. 2007, “A shared task involving multi-label classification of clinical "
        "free text”",
        ("table1", "table2", "figure1", "table3"),
    ),
    Paper(
        "complaints",
        "Lee 2018, “Natural language generation for electronic health records”, supplement",
        ("s1", "s2", "s3", "s4"),
    ),
    Paper(
        "sensitivity",
        "Cao et al. 2022, “Language Model Classifier Aligns Better with Physician Word "
        "Sensitivity than XGBoost on Readmission Prediction”",
        (
            "table1", "table2", "table3", "figure1", "figure2", "table4", "table5", "table6",
            "table7", "table8", "table9",
        ),
    ),
    Paper(
        "entities",
        "Agrawal et al. 2020, “Robust Benchmarking for Machine Learning of Clinical Entity "
        "Extraction”",
        (
            "figure1", "section3_2", "table1", "section3_3", "table2", "figure2", "section4_3",
            "figure3", "agreement", "table3", "appendix_b",
        ),
    ),
)  # fmt: skip


def reproductions() -> list[Reproduction]:
    """All of them, paper by paper."""
    return [
        import_module(f"auscult.reproduce.{paper.name}.{module}").REPRODUCTION
        for paper in PAPERS
        for module in paper.modules
    ]


def named(name: str) -> Reproduction:
    """One by its name."""
    every = {one.name: one for one in reproductions()}
    return every[require_known(name, every, "reproduction")]
