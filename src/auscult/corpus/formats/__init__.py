"""Import and export formats of a corpus: one module or package each.

Further formats come from other packages, by entry points of the group `auscult.formats`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import polars as pl
from pydantic import ValidationError

from auscult.core import AuscultError, OptionError, PluginError, Status, plugins, storage
from auscult.core.names import require_known
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import (
    Format,
    FormatFacts,
    FormatOptions,
    Loss,
    Losses,
    facts_of,
)
from auscult.corpus.formats.shared import unsupported

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "FORMATS",
    "Format",
    "FormatFacts",
    "FormatOptions",
    "Loss",
    "Losses",
    "facts",
    "load",
    "names",
    "read",
    "without_notes",
    "write",
]

# A new format is a module (or package) in this folder and its name here.
FORMATS = (
    "bioc",
    "brat",
    "cas",
    "cmc",
    "codiesp",
    "csv",
    "jsonl",
    "mcn",
    "mdace",
    "mimic3",
    "mimic4",
    "mimic4_ed",
    "neiss",
    "pubtator",
    "records",
    "webanno",
)


PLUGINS = "auscult.formats"
_STATUS, _READ_BY = "annotations.status", "notes.read_by"
_PARTS = ("ReadOptions", "WriteOptions", "read", "write")
_GUIDE = "See auscult.corpus.formats.contract for what a format must define."


def names() -> tuple[str, ...]:
    """The names of all formats, including those of plug-ins."""
    return (*FORMATS, *_offered())


def load(name: str) -> Format:
    """The module of a format."""
    if name in FORMATS:
        return cast(Format, import_module(f"{__name__}.{name}"))
    offered = _offered()
    require_known(name, (*FORMATS, *offered), "format")
    found = plugins.load(offered[name])
    plugins.require_parts(offered[name], found, _PARTS, _GUIDE)
    for part in ("ReadOptions", "WriteOptions"):
        options = getattr(found, part)
        if not (isinstance(options, type) and issubclass(options, FormatOptions)):
            raise PluginError(offered[name], f"has {part} not derived from FormatOptions. {_GUIDE}")
    return cast(Format, found)


def facts(name: str) -> FormatFacts:
    """Facts about a format: its examples, and what it can represent.

    >>> facts("cmc").target, facts("csv").needs_notes
    ('reports.xml', False)
    """
    return facts_of(load(name), name)


def without_notes() -> list[str]:
    """The formats that can hold codes without notes."""
    found = []
    for name in names():
        try:
            if not facts(name).needs_notes:
                found.append(name)
        except PluginError:  # one that does not load is no advice
            continue
    return found


def read(name: str, source: Path | str, **options: Any) -> Corpus:
    """Read a corpus: `read("mdace", "MDACE/data/Inpatient/ICD-10")`."""
    module = load(name)
    source = Path(source)
    if not source.exists():
        raise OptionError(f"{source} does not exist.")
    found: object = module.read(source, _options(module.ReadOptions, name, options))
    if not isinstance(found, Corpus):
        raise AuscultError(
            f"The format {name} must return a Corpus from read (build one with Corpus.of). {_GUIDE}"
        )
    return found


def write(
    name: str, corpus: Corpus, target: Path | str, *, overwrite: bool = False, **options: Any
) -> list[Loss]:
    """Write a corpus and return the losses. A failed export leaves nothing behind."""
    module = load(name)
    target = Path(target)
    if not overwrite and target.exists() and (target.is_file() or any(target.iterdir())):
        raise OptionError(f"{target} exists already. Choose another name, or pass --overwrite.")
    chosen = _options(module.WriteOptions, name, options)
    with storage.drafted(target, overwrite=overwrite) as draft:
        holds = facts_of(module, name).holds
        given = (
            corpus
            if _STATUS in holds
            else replace(corpus, lazy_all_annotations=corpus.lazy_annotations)
        )
        losses: object = module.write(given, draft, chosen)
        if not (isinstance(losses, list) and draft.exists()):
            raise AuscultError(
                f"The format {name} must write its target and return a list of losses, which "
                f"may be empty. {_GUIDE}"
            )
        return losses + _not_held(corpus, {_STATUS, _READ_BY}.difference(holds))


def _not_held(corpus: Corpus, columns: Collection[str]) -> list[Loss]:
    """What is lost of columns that a format knows nothing of."""
    losses = Losses()
    if _STATUS in columns:
        unsaid = corpus.lazy_all_annotations.filter(pl.col("status") != Status.GIVEN)
        for status, count in unsaid.group_by("status").len().sort("status").collect().iter_rows():
            why = "ranked below the threshold" if status == Status.RANKED else "only requested"
            losses.add(_STATUS, f"codes {why} (status {status})", "left out", count)
    if _READ_BY in columns:
        unsupported.count_readers(corpus, losses)
    return losses.list()


def _offered() -> dict[str, EntryPoint]:
    return plugins.discover(PLUGINS, FORMATS)


def _options(model: type[FormatOptions], name: str, given: dict[str, Any]) -> FormatOptions:
    try:
        return model(**given)
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(model.model_fields) or "none"
        raise OptionError(
            f"Option {'.'.join(map(str, first['loc']))} of format {name}: {first['msg']}. "
            f"Options: {known}."
        ) from error
