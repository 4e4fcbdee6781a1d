"""A page for each family of measures, made from docstrings and definitions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus

_START = """# {title}

<!-- Made from the code by `make docs`; changes here are overwritten. -->

{about}
"""


def _none() -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Family:
    """A page: what it is about, the modules it is made from, measures with definitions."""

    title: str
    about: str
    modules: tuple[str, ...]
    named: Callable[[], Mapping[str, str]] = _none


def pages() -> dict[str, str]:
    """Every page by its file name, `index.md` among them."""
    made = {f"{name}.md": _page(family) for name, family in FAMILIES.items()}
    rows = "".join(
        f"| [{family.title}]({name}.md) | {family.about} |\n" for name, family in FAMILIES.items()
    )
    listed = "".join(f"{name}\n" for name in FAMILIES)
    about = (
        "A measure is a number with its definition and its interval, or the reason why it is "
        "undefined. What follows is\nwhat the code says of each; the examples run in the tests.\n"
    )
    made["index.md"] = (
        _START.format(title="Measures", about=about)
        + f"| family | |\n| --- | --- |\n{rows}\n```{{toctree}}\n:hidden:\n\n{listed}```\n"
    )
    return made


def _page(family: Family) -> str:
    parts = [_START.format(title=family.title, about=family.about)]
    named = family.named()
    if named:
        rows = "".join(
            f"| `{name}` | {definition.replace('|', chr(92) + '|')} |\n"
            for name, definition in named.items()
        )
        parts.append(f"\n| measure | definition |\n| --- | --- |\n{rows}")
    parts += [_module(f"auscult.{module}") for module in family.modules]
    return "".join(parts)


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
    """A docstring as Markdown: its examples as blocks, everything else as it is."""
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
    # A sum of products must not become a list, nor a note in angle brackets HTML.
    return re.sub(r"<(?=\w)", r"\\<", text.strip())


def _charts() -> Corpus:
    """Two people and a coder on two notes: enough for every measure to name itself."""
    notes = [Note(f"n{at}", f"c{at}", f"p{at}", text="Fever and cough.") for at in range(2)]
    said = [
        Annotation(who, Code("ICD-10-CM", code), f"c{at}", f"n{at}", (span,), score=score)
        for who, score in (("ann", None), ("bob", None), ("coder", 0.9))
        for at in range(2)
        for code, span in (("R50.9", Span(0, 5)), ("R05.9", Span(10, 15)))
    ]
    return Corpus.of(notes, said)


def _codes() -> dict[str, str]:
    from auscult.evaluate import evaluate_codes, pair

    both = pair(_charts(), _charts(), annotator="ann", predicted_annotator="coder")
    return {name: m.definition for name, m in evaluate_codes(both, times=0).measures.items()}


def _evidence() -> dict[str, str]:
    from auscult.evaluate import evaluate_evidence, pair

    both = pair(_charts(), _charts(), annotator="ann", predicted_annotator="coder")
    found = evaluate_evidence(both, times=0)
    ratios = {
        "precision": "TP / (TP + FP)",
        "recall": "TP / (TP + FN)",
        "f1": "2TP / (2TP + FP + FN)",
    }
    ways = {**found.measures, "codiesp": found.codiesp}
    return {
        **{name: way.definition for name, way in ways.items()},
        **{f"…_{name}": f"{ratio}, of each way of counting" for name, ratio in ratios.items()},
    }


def _agreement() -> dict[str, str]:
    from auscult.agreement import agree

    found = agree(_charts(), ["ann", "bob"], times=0)
    of_pairs = next(iter(found.pairs.values()))
    return {name: m.definition for name, m in {**found.measures, **of_pairs}.items()}


FAMILIES = {
    "codes": Family(
        "Codes",
        "Whether a chart got the right codes: `auscult evaluate codes`.",
        (
            "evaluate.codes",
            "evaluate.ranking",
            "evaluate.groups",
            "statistics.cost_sensitive",
            "evaluate.further",
        ),
        _codes,
    ),
    "evidence": Family(
        "Evidence",
        "Whether a coder points at the right words, and goes by them: `auscult evaluate evidence`, "
        "`auscult evaluate faithfulness`.",
        ("evaluate.evidence", "evaluate.codiesp", "evaluate.faithfulness"),
        _evidence,
    ),
    "agreement": Family(
        "Agreement",
        "How far people agree: `auscult agree`, `auscult majority`.",
        (
            "agreement.alpha",
            "agreement.similarity",
            "agreement.fleiss",
            "agreement.cohen",
            "agreement.hooper",
            "agreement.code_f1",
            "agreement.span_jaccard",
            "agreement.shared_code",
            "agreement.unitising",
            "agreement.against",
        ),
        _agreement,
    ),
    "concepts": Family(
        "Concepts in text",
        "Who finds concepts and who knows which is meant: `auscult evaluate entities`.",
        (
            "evaluate.entities.benchmark",
            "evaluate.entities.subsets",
            "evaluate.entities.normalisation",
            "evaluate.entities.end_to_end",
            "evaluate.entities.compounds",
            "evaluate.entities.hierarchy",
            "evaluate.entities.brittleness",
            "evaluate.entities.causes",
        ),
    ),
    "texts": Family(
        "Synthetic texts",
        "Whether written texts are like authentic ones and give nothing away: "
        "`auscult write evaluate`.",
        (
            "evaluate.text.ngrams",
            "evaluate.text.cider",
            "evaluate.text.bleu",
            "evaluate.text.vectors",
            "evaluate.text.diversity",
            "evaluate.text.memorisation",
            "evaluate.text.epidemiology",
        ),
    ),
    "audit": Family(
        "Audit",
        "Which words move a coder, and whether clinicians would go by them: `auscult audit`.",
        ("audit.sensitivity", "audit.alignment", "audit.discrimination", "audit.swaps"),
    ),
    "deid": Family(
        "De-identification",
        "How much of what identifies people is found: `auscult deid evaluate`.",
        ("evaluate.deid",),
    ),
    "statistics": Family(
        "Intervals and tests",
        "How sure a number is, and whether two differ.",
        (
            "statistics.bootstrap",
            "statistics.significance",
            "statistics.anova",
            "statistics.pairwise",
            "evaluate.standings",
        ),
    ),
}
