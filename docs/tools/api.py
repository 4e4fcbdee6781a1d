"""The reference of the public API, made from the docstrings of what `auscult` exports."""

from __future__ import annotations

import inspect
import re
from typing import Any

import auscult

_START = """# Python API

<!-- Made from the code by `make docs`; changes here are overwritten. -->

Everything here is importable from `auscult`. Names load when they are first used: `import auscult`
takes a tenth of a second and brings no torch. See them at work in the
[notebooks](notebooks/train_evaluate_compare.ipynb).
"""
_CHAPTERS = {
    "Coding notes": ("code_notes", "write_codes", "code_rows", "read_documents"),
    "Corpora": ("Corpus", "read_corpus", "split_corpus", "make_hospital", "deidentify"),
    "Values": ("Note", "Span", "Code", "Annotation", "Metric", "describe", "Vocabulary"),
    "Models": (
        "fit",
        "train",
        "train_runs",
        "pretrain",
        "choose_model",
        "load_model",
        "Model",
        "verify",
        "Verifier",
    ),
    "Evaluation": ("evaluate_codes", "evaluate_evidence", "evaluate_entities", "compare", "audit"),
    "Annotators": ("agreement", "majority"),
    "Synthetic text": (
        "fit_generator",
        "load_generator",
        "generate",
        "evaluate_synthetic",
        "TextGenerator",
    ),
    "Errors": ("AuscultError",),
}


_EXAMPLE = r"((?:^(?:>>>|\.\.\.).*\n?(?:(?!\n|>>>).+\n?)*)+)"


def page() -> str:
    """The page: a chapter for each task, an entry for each public name."""
    parts = [_START]
    for title, names in _CHAPTERS.items():
        parts.append(f"\n## {title}\n")
        parts += [_entry(name, _function(name)) for name in names]
    return "".join(parts)


def listed() -> set[str]:
    """The names that the page has."""
    return {name for names in _CHAPTERS.values() for name in names}


def _function(name: str) -> Any:
    """What is exported; for a package that can be called, the function it calls."""
    found = getattr(auscult, name)
    if inspect.ismodule(found):
        from auscult import api

        return getattr(api, name)
    return found


def _entry(name: str, found: Any) -> str:
    parts = [f"\n### {name}\n\n```python\n{name}{_signature(found)}\n```\n\n{_doc(found)}\n"]
    if inspect.isclass(found):
        for method, value in vars(found).items():
            if not method.startswith("_") and (described := _method(name, method, value)):
                parts.append(described)
    return "".join(parts)


def _method(owner: str, name: str, value: Any) -> str | None:
    if isinstance(value, property) or type(value).__name__ == "cached_property":
        wrapped = value.fget if isinstance(value, property) else value.func
        return f"\n- `{name}`: {_first(wrapped)}\n"
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    if not inspect.isfunction(value):
        return None
    return f"\n- `{owner}.{name}{_signature(value)}`: {_first(value)}\n"


def _signature(found: Any) -> str:
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return ""
    kept = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in signature.parameters.values()
        if one.name not in ("self", "cls")
    ]
    shown = str(signature.replace(parameters=kept, return_annotation=inspect.Signature.empty))
    return re.sub(r"<[^>]*>", "…", shown)


def _doc(found: Any) -> str:
    text = inspect.getdoc(found) or ""
    # An example becomes a block of its own.
    return re.sub(_EXAMPLE, r"```pycon\n\1\n```", text, flags=re.MULTILINE)


def _first(found: Any) -> str:
    return " ".join((inspect.getdoc(found) or "").split("\n\n")[0].split())
