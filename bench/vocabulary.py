"""Finding and suggesting, against what people use otherwise, in one run on one machine.

    .venv/bin/python bench/vocabulary.py --data ../shared/data

Finding: the names of ICD-9, ICD-10 and HPO codes (and of the Disease Ontology, when the data are
there) in real case reports and abstracts, against spaCy's PhraseMatcher, QuickUMLS at threshold 1.0
and ahocorasick_rs, whichever are installed. Suggesting: three million made-up synonyms, against a
dictionary and an inverted index in plain Python that rank the same way.

Times are processor time, and the contestants take turns, since a benchmark seldom has a machine to
itself. Ends with what was wanted and whether it was kept; exit code 1 when it was not.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from auscult.codes.abbreviations import Abbreviations
from auscult.codes.concept import Concept
from auscult.codes.find import TermFinder, TermMatch
from auscult.codes.index.folding import fold
from auscult.codes.index.tokens import tokenize
from auscult.codes.suggest import Suggester
from auscult.codes.vocabulary import Vocabulary

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.plain_index import LIMIT, PlainIndex
from bench.synthetic_terms import concepts, queries
from bench.term_finders import (
    Engine,
    aho_corasick,
    made_up_texts,
    phrase_matcher,
    quickumls,
    real_concepts,
    real_texts,
)

PHRASE_MATCHER, QUICKUMLS = "spaCy PhraseMatcher", "QuickUMLS, threshold 1.0"


class Bar(NamedTuple):
    """What was wanted, what was measured, and whether that is enough; None: not measured."""

    what: str
    wanted: str
    measured: str
    kept: bool | None


def main() -> None:
    """Run what was asked for, print tables in Markdown, and say which bars were kept."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with codiesp, ncbi_disease and doid")
    parser.add_argument("--synonyms", type=int, default=3_000_000)
    parser.add_argument("--questions", type=int, default=1_500)
    parser.add_argument("--rounds", type=int, default=5, help="of finding; the median counts")
    parser.add_argument("--keep", type=Path, help="keep, and reuse, the vocabularies here")
    parser.add_argument("--only", choices=["find", "suggest"])
    options = parser.parse_args()
    bars: list[Bar] = []
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder)
        if options.only != "suggest":
            bars += bench_finding(place, options.data, options.rounds)
        if options.only != "find":
            bars += bench_suggesting(place, options.synonyms, options.questions)
    print("\n| | wanted | measured | |")
    print("| --- | --- | --- | --- |")
    for bar in bars:
        verdict = "not measured" if bar.kept is None else "kept" if bar.kept else "MISSED"
        print(f"| {bar.what} | {bar.wanted} | {bar.measured} | {verdict} |")
    sys.exit(any(bar.kept is False for bar in bars))


def bench_finding(folder: Path, data: Path | None, rounds: int) -> list[Bar]:
    """Texts a second for each way to find the same terms in the same text."""
    vocabulary = _built(folder / "names", lambda: real_concepts(data))
    terms = sorted({s.text for concept in vocabulary for s in concept.synonyms})
    texts = real_texts(data) if data else made_up_texts(terms)
    characters = sum(map(len, texts))
    print(
        f"\n### Finding {len(terms):,} terms in {len(texts):,} texts of {characters:,} characters\n"
    )
    finder = TermFinder(vocabulary, case="ignore", shortest=1)
    engines: dict[str, Engine] = {
        "auscult": (lambda: sum(map(_places, finder.find_all(texts))), 1),
        "auscult, one text at a time": (lambda: sum(_places(finder.find(t)) for t in texts), 1),
    }
    set_up = dict.fromkeys(engines, 0.0)
    for name, make in (
        ("ahocorasick_rs + word boundaries", aho_corasick),
        (PHRASE_MATCHER, phrase_matcher),
        (QUICKUMLS, quickumls),
    ):
        started = time.process_time()
        made = make(terms, texts, folder)
        if made is None:
            print(f"({name} is not installed.)\n")
        else:
            engines[name], set_up[name] = made, time.process_time() - started
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    found: dict[str, int] = {}
    for _ in range(rounds):
        for name, (run, part) in engines.items():
            started = time.process_time()
            found[name] = part * run()
            seconds[name].append(part * (time.process_time() - started))
    print("| | set up | texts/s | places found | auscult is so many times as fast |")
    print("| --- | ---: | ---: | ---: | ---: |")
    ratios: dict[str, float] = {}
    for name, taken in seconds.items():
        each = [other / own for other, own in zip(taken, seconds["auscult"], strict=True)]
        ratios[name] = statistics.median(each)
        spread = f"{ratios[name]:.1f} ({min(each):.1f}–{max(each):.1f})"
        speed = len(texts) / statistics.median(taken)
        about = "about " if engines[name][1] > 1 else ""
        print(
            f"| {name} | {set_up[name]:.1f} s | {speed:,.0f} | {about}{found[name]:,} | {spread} |"
        )
    bars = [Bar("terms to find", "≥ 150,000", f"{len(terms):,}", len(terms) >= 150_000)]
    for name, least in ((PHRASE_MATCHER, 5), (QUICKUMLS, 50)):
        ratio = ratios.get(name)
        measured = "not installed" if ratio is None else f"{ratio:.1f}×"
        kept = None if ratio is None else ratio >= least
        bars.append(Bar(f"finding, against {name}", f"≥ {least}×", measured, kept))
    return bars


def _places(occurrences: list[TermMatch]) -> int:
    return len({occurrence.span for occurrence in occurrences})


def bench_suggesting(folder: Path, synonyms: int, questions: int) -> list[Bar]:
    """Latency, opening and memory, against the plain index."""
    started = time.process_time()
    vocabulary = _built(folder / f"synthetic-{synonyms}", lambda: _at_least(synonyms))
    took = time.process_time() - started
    chance = random.Random(0)
    some = [chance.randrange(vocabulary.manifest.terms) for _ in range(5_000)]
    asked = queries([vocabulary.synonym_at(term).text for term in some], questions)
    print(
        f"\n### Suggesting among {vocabulary.manifest.terms:,} synonyms, {questions:,} questions\n"
    )
    print(
        f"{vocabulary.manifest.concepts:,} concepts, {vocabulary.manifest.words:,} words, "
        f"{sum(vocabulary.manifest.files.values()) / 1e6:,.0f} MB on disk, "
        f"{f'built in {took:,.0f} s' if took > 1 else 'built before'}."
    )
    fresh = _in_a_new_process(vocabulary.path, asked)
    print(
        f"A new process opens it in {fresh['opened']:.3f} s and has answered once after "
        f"{fresh['answered']:.3f} s. Resident after all questions: {fresh['resident']:,.0f} MB, "
        f"of which its own: {fresh['own']:,.0f} MB; the rest is the files, shared.\n"
    )
    suggester = Suggester(vocabulary)
    before = _resident()
    plain = PlainIndex(vocabulary)
    plain_size = _resident() - before
    same = _agreement(vocabulary, Suggester(vocabulary, Abbreviations()), plain, asked)
    engines: dict[str, Callable[[str], object]] = {
        "auscult": lambda text: suggester.suggest(text, limit=LIMIT),
        "dictionary + Python inverted index": plain.suggest,
    }
    times: dict[str, list[float]] = {name: [] for name in engines}
    walls: dict[str, list[float]] = {name: [] for name in engines}
    for text in asked:
        suggester.suggest(text)  # to warm up; the comparison has warmed the plain index
    for text in asked:
        for name, engine in engines.items():
            wall, started = time.perf_counter(), time.process_time()
            engine(text)
            times[name].append(1e3 * (time.process_time() - started))
            walls[name].append(1e3 * (time.perf_counter() - wall))
    print("| | p50 ms | p95 ms | p99 ms | p95 ms by the clock | memory |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    sizes = (f"{fresh['resident']:,.0f} MB", f"{plain_size:,.0f} MB")
    for (name, taken), size in zip(times.items(), sizes, strict=True):
        shown = " | ".join(f"{_part(taken, p):.2f}" for p in (50, 95, 99))
        print(f"| {name} | {shown} | {_part(walls[name], 95):.2f} | {size} |")
    ours, theirs = (_part(taken, 95) for taken in times.values())
    agreed, compared = same[True], same.total()
    print(
        f"\nOf {compared:,} questions in words the vocabulary has, both gave the same {LIMIT} "
        f"concepts in the same order for {agreed:,}."
    )
    return [
        Bar("synonyms", "≥ 3,000,000", f"{vocabulary.manifest.terms:,}",
            vocabulary.manifest.terms >= 3_000_000),
        Bar("suggesting, p95", "< 5 ms", f"{ours:.2f} ms", ours < 5),
        Bar("suggesting at p95, against the plain index", "≥ 10×", f"{theirs / ours:.1f}×",
            theirs >= 10 * ours),
        Bar("same answers as the plain index", "all", f"{agreed:,} of {compared:,}",
            agreed == compared > 0),
        Bar("opening", "< 1 s", f"{fresh['opened']:.3f} s", fresh["opened"] < 1),
        Bar("resident memory", "< 1 GB", f"{fresh['resident']:,.0f} MB", fresh["resident"] < 1000),
    ]  # fmt: skip


def _agreement(
    vocabulary: Vocabulary, ours: Suggester, plain: PlainIndex, asked: list[str]
) -> Counter[bool]:
    """Whether both say the same wherever nothing is guessed and no punctuation is taken off."""
    counts: Counter[bool] = Counter()
    for text in asked:
        words = tokenize(fold(text).text)
        is_plain = words and words[0].isalnum() and words[-1].isalnum()
        if is_plain and all(vocabulary.numbers[word] >= 0 for word in words):
            found = [s.code for s in ours.suggest(text, limit=LIMIT)]
            counts[found == [vocabulary.code_at(n) for n in plain.suggest(text)]] += 1
    return counts


def _at_least(synonyms: int) -> Iterator[Concept]:
    # Synonyms that vary into each other are one, so some more are made.
    return concepts(int(1.05 * synonyms))


def _built(path: Path, make: Callable[[], Iterator[Concept]]) -> Vocabulary:
    return Vocabulary.open(path) if path.exists() else Vocabulary.build(make(), path)


def _part(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1]


def _resident() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1e3
    return math.nan


_FRESH = """
import json, sys, time
from auscult.codes.suggest import Suggester
from auscult.codes.vocabulary import Vocabulary
asked = json.load(sys.stdin)
started = time.perf_counter()
suggester = Suggester(Vocabulary.open(sys.argv[1]))
opened = time.perf_counter() - started
suggester.suggest(asked[0])
answered = time.perf_counter() - started
for text in asked:
    suggester.suggest(text)
sizes = {}
for line in open("/proc/self/smaps_rollup"):
    name, _, rest = line.partition(":")
    if rest.strip().endswith("kB"):
        sizes[name] = int(rest.split()[0]) / 1e3
own = sizes["Private_Dirty"]
print(json.dumps({"opened": opened, "answered": answered, "resident": sizes["Rss"], "own": own}))
"""


def _in_a_new_process(path: Path, asked: list[str]) -> dict[str, float]:
    """Seconds to open and to answer, and memory after all questions."""
    done = subprocess.run(
        [sys.executable, "-c", _FRESH, str(path)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
