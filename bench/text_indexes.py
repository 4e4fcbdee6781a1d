"""The vocabulary's own layout against general text indexes, on the same terms and questions.

    .venv/bin/python bench/text_indexes.py --keep FOLDER

FOLDER holds, or comes to hold, the synthetic vocabulary of bench/vocabulary.py (`--keep` there).
tantivy and SQLite's FTS5 are asked as suggestions need it: the exact name, then all words, then any
word. They rank by BM25, know no misspellings, and are not asked to; what this weighs is latency,
memory and disk. ahocorasick_rs is set up on the same terms for finding. Processor time.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from auscult.codes.abbreviations import Abbreviations
from auscult.codes.index.folding import fold
from auscult.codes.index.stems import stem
from auscult.codes.index.tokens import tokenize
from auscult.codes.index.wordlists import stop_words
from auscult.codes.suggest import Suggester
from auscult.codes.vocabulary import Vocabulary

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.synthetic_terms import queries

LIMIT = 10
_HITS = 60
"""Terms to ask for, as several may be of one concept."""
Ask = Callable[[str], list[int]]


def main() -> None:
    """Build what is not there yet, ask all, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--synonyms", type=int, default=3_000_000)
    parser.add_argument("--questions", type=int, default=1_500)
    options = parser.parse_args()
    vocabulary = Vocabulary.open(options.keep / f"synthetic-{options.synonyms}")
    chance = random.Random(0)
    some = [chance.randrange(vocabulary.manifest.terms) for _ in range(5_000)]
    asked = queries([vocabulary.synonym_at(term).text for term in some], options.questions)
    suggester = Suggester(vocabulary, Abbreviations())
    engines: dict[str, tuple[Ask, float]] = {
        "auscult": (
            lambda text: [vocabulary.number_of(s.code) or 0 for s in suggester.suggest(text)],
            sum(vocabulary.manifest.files.values()) / 1e6,
        ),
        "SQLite FTS5": fts5(vocabulary, options.keep / f"fts5-{options.synonyms}.db"),
    }
    if importlib.util.find_spec("tantivy"):
        engines["tantivy"] = tantivy(vocabulary, options.keep / f"tantivy-{options.synonyms}")
    answers: dict[str, list[list[int]]] = {}
    times: dict[str, list[float]] = {name: [] for name in engines}
    for name, (ask, _) in engines.items():
        answers[name] = [ask(text) for text in asked]  # once to warm up
    for text in asked:
        for name, (ask, _) in engines.items():
            started = time.process_time()
            ask(text)
            times[name].append(1e3 * (time.process_time() - started))
    print("| | p50 ms | p95 ms | p99 ms | disk | same first concept |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (_, disk) in engines.items():
        cuts = statistics.quantiles(times[name], n=100)
        same = statistics.mean(
            found[:1] == ours[:1]
            for found, ours in zip(answers[name], answers["auscult"], strict=True)
        )
        print(
            f"| {name} | {cuts[49]:.2f} | {cuts[94]:.2f} | {cuts[98]:.2f} | {disk:,.0f} MB "
            f"| {same:.0%} |"
        )
    if importlib.util.find_spec("ahocorasick_rs"):
        aho_corasick(vocabulary)


@cache
def _stem(word: str) -> str:
    return stem(word, "english")


def _words(text: str) -> list[str]:
    return tokenize(fold(text).text)


def _stems(text: str) -> list[str]:
    stop = stop_words("english")
    words = dict.fromkeys(_words(text))
    return list(dict.fromkeys(_stem(w) for w in words if w[0].isalnum() and w not in stop))


def _rows(vocabulary: Vocabulary) -> Iterator[tuple[int, str, str]]:
    """Concept, name as it is compared, and stems, of each term."""
    for number, concept in enumerate(vocabulary):
        for synonym in concept.synonyms:
            yield number, " ".join(_words(synonym.text)), " ".join(_stems(synonym.text))


def fts5(vocabulary: Vocabulary, path: Path) -> tuple[Ask, float]:
    """A table of names, and a contentless FTS5 table of stems."""
    is_new = not path.exists()
    db = sqlite3.connect(path)
    if is_new:
        db.execute("create table term (id integer primary key, name text, concept integer)")
        db.execute("create virtual table word using fts5 (stems, content='')")
        for at, (concept, name, stems) in enumerate(_rows(vocabulary)):
            db.execute("insert into term values (?, ?, ?)", (at, name, concept))
            db.execute("insert into word (rowid, stems) values (?, ?)", (at, stems))
        db.execute("create index by_name on term (name)")
        db.execute("insert into word (word) values ('optimize')")
        db.commit()
    matching = (
        "select term.concept from (select rowid as at, rank from word where word match ? "
        f"order by rank limit {_HITS}) join term on term.id = at order by rank"
    )

    def ask(text: str) -> list[int]:
        called = "select distinct concept from term where name = ? order by concept limit 10"
        found = [concept for (concept,) in db.execute(called, (" ".join(_words(text)),))]
        quoted = [f'"{one}"' for one in _stems(text)]
        for joined in (" AND ", " OR ") if quoted else ():
            if len(found) < LIMIT:
                rows = db.execute(matching, (joined.join(quoted),))
                found = list(dict.fromkeys([*found, *(concept for (concept,) in rows)]))
        return found[:LIMIT]

    return ask, path.stat().st_size / 1e6


def tantivy(vocabulary: Vocabulary, path: Path) -> tuple[Ask, float]:
    """An index with a field of names and one of stems."""
    module: Any = importlib.import_module("tantivy")
    if not path.exists():
        path.mkdir()
        builder = module.SchemaBuilder()
        builder.add_text_field("name", tokenizer_name="raw", index_option="basic")
        builder.add_text_field("stems", tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field("concept", stored=True)
        writer = module.Index(builder.build(), path=str(path)).writer(400_000_000, 1)
        for concept, name, stems in _rows(vocabulary):
            writer.add_document(module.Document(name=name, stems=stems, concept=concept))
        writer.commit()
        writer.wait_merging_threads()
    index = module.Index.open(str(path))
    searcher, query, must, should = (
        index.searcher(),
        module.Query,
        module.Occur.Must,
        module.Occur.Should,
    )

    def ask(text: str) -> list[int]:
        name = " ".join(_words(text))
        stems = [query.term_query(index.schema, "stems", one) for one in _stems(text)]
        forms = [query.term_query(index.schema, "name", name)]
        forms += [query.boolean_query([(how, s) for s in stems]) for how in (must, should) if stems]
        found: list[int] = []
        for form in forms:
            if len(found) < LIMIT:
                hits = searcher.search(form, _HITS).hits
                concepts = [searcher.doc(address)["concept"][0] for _, address in hits]
                found = list(dict.fromkeys([*found, *concepts]))
        return found[:LIMIT]

    return ask, sum(file.stat().st_size for file in path.iterdir()) / 1e6


def aho_corasick(vocabulary: Vocabulary) -> None:
    """What the automaton costs each process before it finds anything."""
    module: Any = importlib.import_module("ahocorasick_rs")
    names = sorted({name for _, name, _ in _rows(vocabulary)})
    before, started = _resident(), time.process_time()
    automaton = module.AhoCorasick(names)
    took, size = time.process_time() - started, _resident() - before
    print(f"\nahocorasick_rs: {len(names):,} names, {took:.1f} s and {size:,.0f} MB a process.")
    del automaton


def _resident() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1e3


if __name__ == "__main__":
    main()
