"""QuickUMLS without the models it would download: spaCy's tokenizer, and our stop words."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from types import SimpleNamespace
from typing import Any

from auscult.codes.index.wordlists import stop_words


@cache  # what is made ready once cannot be made ready again
def quickumls_modules() -> tuple[Any, Any] | None:
    """Its modules `core` and `install`, made ready; None when it is not installed."""
    if importlib.util.find_spec("quickumls") is None:
        return None
    core: Any = importlib.import_module("quickumls.core")
    install: Any = importlib.import_module("quickumls.install")
    nlp = core.spacy.blank("en")
    nlp.add_pipe("sentencizer")
    core.spacy = SimpleNamespace(load=lambda _: nlp)
    words = SimpleNamespace(words=lambda *_: sorted(stop_words("english")))
    core.nltk = SimpleNamespace(corpus=SimpleNamespace(stopwords=words))
    return core, install
