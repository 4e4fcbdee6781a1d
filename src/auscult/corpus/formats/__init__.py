"""The formats a corpus comes in and goes out as: a module each, or a package where one is long."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from auscult.core import OptionError, storage
from auscult.core.names import require_known
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import Format, Loss, Losses, Options

__all__ = ["FORMATS", "Format", "Loss", "Losses", "Options", "load", "read", "write"]

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


def load(name: str) -> Format:
    """The module of a format."""
    require_known(name, FORMATS, "format")
    return cast(Format, import_module(f"{__name__}.{name}"))


def read(name: str, source: Path | str, **options: Any) -> Corpus:
    """Read a corpus: `read("mdace", "MDACE/data/Inpatient/ICD-10")`."""
    module = load(name)
    source = Path(source)
    if not source.exists():
        raise OptionError(f"{source} does not exist.")
    return module.read(source, _options(module.ReadOptions, name, options))


def write(
    name: str, corpus: Corpus, target: Path | str, *, overwrite: bool = False, **options: Any
) -> list[Loss]:
    """Write a corpus, and say what the format could not hold. A failure leaves nothing behind."""
    module = load(name)
    target = Path(target)
    if not overwrite and target.exists() and (target.is_file() or any(target.iterdir())):
        raise OptionError(f"{target} exists already. Choose another name, or pass --overwrite.")
    chosen = _options(module.WriteOptions, name, options)
    with storage.drafted(target, overwrite=overwrite) as draft:
        return module.write(corpus, draft, chosen)


def _options(model: type[Options], name: str, given: dict[str, Any]) -> Options:
    try:
        return model(**given)
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(model.model_fields) or "none"
        raise OptionError(
            f"Option {'.'.join(map(str, first['loc']))} of format {name}: {first['msg']}. "
            f"Options: {known}."
        ) from error
