"""A page for each family of metrics, made from docstrings and definitions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.evaluate.codiesp import CODIESP
from auscult.evaluate.evidence import WAYS
from auscult.evaluate.matching import DEFINITIONS
from auscult.evaluate.metrics import registry

_START = """# {title}

<!-- Made from the code by `make docs`; changes here are overwritten. -->

{about}
"""


Row = Mapping[str, str]
"""A metric: its name, its definition and further columns, by their titles."""


def _none() -> list[Row]:
    return []


@dataclass(frozen=True)
class Family:
    """A page: what it is about, the modules it is made from, metrics with definitions."""

    title: str
    about: str
    modules: tuple[str, ...]
    rows: Callable[[], Sequence[Row]] = _none


def pages() -> dict[str, str]:
    """Every page by its file name, `index.md` among them."""
    made = {f"{name}.md": _page(family) for name, family in FAMILIES.items()}
    rows = "".join(
        f"| [{family.title}]({name}.md) | {family.about} |\n" for name, family in FAMILIES.items()
    )
    listed = "".join(f"{name}\n" for name in FAMILIES)
    about = (
        "A metric is a number with its definition and its interval, or the reason why it is "
        "undefined.\nThese pages are generated from the docstrings, whose examples run in the "
        "tests.\n"
    )
    made["index.md"] = (
        _START.format(title="Metrics", about=about)
        + f"| family | |\n| --- | --- |\n{rows}\n```{{toctree}}\n:hidden:\n\n{listed}```\n"
    )
    return made


def _page(family: Family) -> str:
    parts = [_START.format(title=family.title, about=family.about)]
    rows = family.rows()
    if rows:
        titles = [*rows[0]]
        lines = [titles, ["---"] * len(titles), *([_cell(row[t]) for t in titles] for row in rows)]
        parts.append("\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines))
    parts += [_module(f"auscult.{module}") for module in family.modules]
    return "".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _row(name: str, definition: str) -> Row:
    return {"metric": f"`{name}`", "definition": definition}


def _module(name: str) -> str:
    module = import_module(name)
    first, _, rest = (module.__doc__ or "").strip().partition("\n")
    parts = [f"\n## {first.rstrip('.')}\n\n`{name}`\n", _prose(rest)]
    for key, one in vars(module).items():
        said = inspect.getdoc(one) or "" if inspect.isfunction(one) else ""
        if not key.startswith("_") and getattr(one, "__module__", "") == name and ">>>" in said:
            parts.append(f"\n### {key}\n\n{_prose(said).lstrip()}")
    return "".join(parts)


def _prose(text: str) -> str:
    """A docstring as Markdown, with its examples as code blocks."""
    parts = []
    for paragraph in text.strip().split("\n\n"):
        example = paragraph.find(">>>")
        if example == 0:
            parts.append(f"```pycon\n{paragraph}\n```")
        elif example > 0:
            parts += [_plain(paragraph[:example]), f"```pycon\n{paragraph[example:]}\n```"]
        elif paragraph:
            parts.append(_plain(paragraph))
    return "\n" + "\n\n".join(parts) + "\n" if parts else ""


def _plain(text: str) -> str:
    # Markdown would take < before a word for an HTML tag.
    return re.sub(r"<(?=\w)", r"\\<", text.strip())


def _charts() -> Corpus:
    """Two annotators and a model on two notes, enough to compute every metric once."""
    notes = [Note(f"n{at}", f"c{at}", f"p{at}", text="Fever and cough.") for at in range(2)]
    said = [
        Annotation(who, Code("ICD-10-CM", code), f"c{at}", f"n{at}", (span,), score=score)
        for who, score in (("ann", None), ("bob", None), ("model", 0.9))
        for at in range(2)
        for code, span in (("R50.9", Span(0, 5)), ("R05.9", Span(10, 15)))
    ]
    return Corpus.of(notes, said)


def _codes() -> list[Row]:
    return [
        {
            **_row(one.name, one.definition),
            "called": one.label,
            "needs": family.needs,
            "reference": one.reference,
        }
        for family in registry.families()
        for one in family.metrics
    ]


def _evidence() -> list[Row]:
    return [
        *(_row(one.name, one.definition) for one in (*WAYS, CODIESP)),
        *(
            _row(f"…_{name}", f"{ratio}, for each way of counting")
            for name, ratio in DEFINITIONS.items()
        ),
    ]


def _agreement() -> list[Row]:
    from auscult.agreement import agree

    found = agree(_charts(), ["ann", "bob"], times=0)
    of_pairs = next(iter(found.pairs.values()))
    return [_row(name, m.definition) for name, m in {**found.metrics, **of_pairs}.items()]


FAMILIES = {
    "codes": Family(
        "Codes",
        "Evaluation of predicted codes: `auscult evaluate codes`.",
        (
            "evaluate.codes",
            *(one.statistic.__module__.removeprefix("auscult.") for one in registry.families()),
            "evaluate.groups",
            "statistics.cost_sensitive",
            "evaluate.metrics.from_sides",
        ),
        _codes,
    ),
    "evidence": Family(
        "Evidence",
        "Evaluation of evidence spans, and of their faithfulness to the model: "
        "`auscult evaluate evidence`, `auscult evaluate faithfulness`.",
        ("evaluate.evidence", "evaluate.codiesp", "evaluate.faithfulness"),
        _evidence,
    ),
    "agreement": Family(
        "Agreement",
        "Inter-annotator agreement: `auscult agree`, `auscult majority`.",
        (
            "agreement.alpha",
            "agreement.similarity",
            "agreement.fleiss",
            "agreement.cohen",
            "agreement.hooper",
            "agreement.code_f1",
            "agreement.span_jaccard",
            "agreement.shared_code",
            "agreement.unitizing",
            "agreement.reference",
        ),
        _agreement,
    ),
    "concepts": Family(
        "Concepts in text",
        "Named entity recognition and entity linking: `auscult evaluate entities`.",
        (
            "evaluate.entities.benchmark",
            "evaluate.entities.subsets",
            "evaluate.entities.linking",
            "evaluate.entities.end_to_end",
            "evaluate.entities.compounds",
            "evaluate.entities.hierarchy",
            "evaluate.entities.brittleness",
            "evaluate.entities.causes",
        ),
    ),
    "texts": Family(
        "Synthetic texts",
        "Similarity of synthetic texts to authentic ones, diversity and memorization: "
        "`auscult generate evaluate`.",
        (
            "evaluate.text.ngrams",
            "evaluate.text.cider",
            "evaluate.text.bleu",
            "evaluate.text.vectors",
            "evaluate.text.diversity",
            "evaluate.text.memorization",
            "evaluate.text.epidemiology",
        ),
    ),
    "audit": Family(
        "Audit",
        "How sensitive a model is to single words, and whether clinicians agree: `auscult audit`.",
        ("audit.sensitivity", "audit.alignment", "audit.discrimination", "audit.swaps"),
    ),
    "deid": Family(
        "De-identification",
        "Recall and precision of finding identifiers (PHI): `auscult deid evaluate`.",
        ("evaluate.deid",),
    ),
    "statistics": Family(
        "Intervals and tests",
        "Bootstrap intervals and significance tests.",
        (
            "statistics.bootstrap",
            "statistics.significance",
            "statistics.anova",
            "statistics.pairwise",
            "evaluate.system_ranking",
        ),
    ),
}
