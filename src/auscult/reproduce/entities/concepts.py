"""Notes with their concepts, a vocabulary, and systems that read them."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from auscult.coders.concepts.coder import places_of
from auscult.coders.concepts.fitting import fit_concepts
from auscult.codes.exclusions import Exclusions
from auscult.codes.sources import SourceOptions, from_strings, read
from auscult.codes.vocabulary import Vocabulary
from auscult.core.dice import shuffled
from auscult.corpus import Corpus, formats
from auscult.corpus.terms import annotated_strings
from auscult.evaluate.entities import EntitiesResult, evaluate_entities
from auscult.reproduce import hospital
from auscult.reproduce.contract import Basis, Used
from auscult.reproduce.work import Work

MCN = "MCN, the corpus of n2c2 2019 track 3 (credentialed), and the UMLS (licensed)"
TEAMS = (
    "the answers of the ten best teams, which were not published (--mcn-systems, if you hold them)"
)
STAND_IN = (
    "notes of the synthetic hospital with its own vocabulary, or with --ncbi the abstracts of NCBI "
    "disease; for the teams, seven systems of Auscult that know more and more"
)
GOLD = "gold"
SABS = ("SNOMEDCT_US", "RXNORM")
_PARTS = ("lookup", "names", "abbreviations", "stems", "trigrams", "context", "ranker")
_STEPS = {
    "training strings": ("lookup",),
    "names": ("names",),
    "both": ("lookup", "names"),
    "and abbreviations": ("lookup", "names", "abbreviations"),
    "and stems": ("lookup", "names", "abbreviations", "stems"),
    "and trigrams": ("lookup", "names", "abbreviations", "stems", "trigrams"),
    "the normaliser": _PARTS,
}


@dataclass(frozen=True, slots=True)
class Task:
    """Training and test notes with gold concepts, and the names of concepts."""

    train: Corpus = field(repr=False)
    test: Corpus = field(repr=False)
    vocabulary: Path
    used: tuple[Used, ...]

    @property
    def basis(self) -> Basis:
        """What is counted on it."""
        return self.used[0].basis


def task(work: Work) -> Task:
    """MCN with the UMLS if both are given, NCBI disease if that is, or notes of the hospital."""
    mcn, umls = work.sources.get("mcn"), work.sources.get("umls")
    if mcn is not None and umls is not None:
        corpus = formats.read("mcn", mcn)
        used = work.used("MCN", Basis.REAL, "MCN as released for n2c2 2019 track 3", mcn)
        names = work.used("UMLS", Basis.REAL, "SNOMED CT and RxNorm in the UMLS", umls)
        place = built(work, names, umls, SourceOptions(sources=SABS))
        return Task(
            corpus.select(splits=["train"]), corpus.select(splits=["test"]), place, (used, names)
        )
    if (ncbi := work.sources.get("ncbi")) is not None:
        train, test = (formats.read("pubtator", ncbi / part) for part in ("train", "devel"))
        said = "NCBI disease, train and devel; the names are those of the training abstracts"
        used = work.used("NCBI disease", Basis.STAND_IN, said, ncbi)
        return Task(_first(train, work), _first(test, work), _own(work, used, train), (used,))
    folder = hospital.hospital(work)
    marked = _marked(folder)
    charts = shuffled(sorted(marked.chart_ids()), random.Random(0))
    half = len(charts) * 2 // 3
    used = hospital.used(work, "concepts", "mimic3", "vocabulary")
    gold = marked.select(annotators=[GOLD])
    return Task(
        _first(gold.select(charts=charts[:half]), work, work.scale.concept_notes),
        _first(gold.select(charts=charts[half:]), work, work.scale.concept_notes // 2),
        built(work, used, folder / "vocabulary", SourceOptions()),
        (used,),
    )


def both_annotators(work: Work) -> Corpus:
    """The hospital's notes with the concepts of both of its annotators."""
    return _marked(hospital.hospital(work))


def readers(work: Work, given: Task) -> tuple[dict[str, Corpus], Basis]:
    """Who says which concept each marked span means, and whether they are the paper's teams."""
    folder = work.sources.get("mcn-systems")
    if folder is not None and given.basis is Basis.REAL:
        teams = sorted(place for place in folder.iterdir() if place.is_dir())
        texts = given.test.select(annotators=[])
        systems = {
            place.name: texts.with_annotations(formats.read("mcn", place).iter_annotations())
            for place in teams
        }
        return systems, Basis.REAL
    return _ours(given), Basis.STAND_IN


def normalised(work: Work) -> tuple[EntitiesResult, Task, Basis]:
    """Every reader on the spans that gold marks, by subset and by semantic type."""

    def make() -> tuple[EntitiesResult, Task, Basis]:
        given = task(work)
        systems, who = readers(work, given)
        return measured(work, given, systems, rule="first"), given, who

    return work.once("normalised", make)


def measured(
    work: Work, given: Task, systems: Mapping[str, Corpus], *, rule: str
) -> EntitiesResult:
    """The benchmark of some systems."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return evaluate_entities(
            given.test,
            systems,
            train=given.train,
            vocabulary=Vocabulary.open(given.vocabulary),
            rule=rule,
            times=work.scale.resamples,
        )


def _ours(given: Task) -> dict[str, Corpus]:
    notes = list(given.test.iter_notes())
    places = places_of(given.test.iter_annotations())
    found = {}
    for name, parts in _STEPS.items():
        without = tuple(part for part in _PARTS if part not in parts)
        config = {"vocabulary": str(given.vocabulary), "without": without}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            coder = fit_concepts(given.train, "normaliser", config)
        found[name] = Corpus.of(notes, coder.annotate(notes, places))
    return found


def _marked(folder: Path) -> Corpus:
    """The hospital's notes that somebody marked, with the marks."""
    marks = formats.read("jsonl", folder / "concepts" / "annotations.jsonl")
    ids = {one.note_id for one in marks.iter_annotations()}
    notes = formats.read("mimic3", folder / "mimic3")
    kept = [replace(one, split=None) for one in notes.iter_notes() if one.note_id in ids]
    return Corpus.of(kept, marks.iter_annotations())


def _first(corpus: Corpus, work: Work, most: int | None = None) -> Corpus:
    """So many notes of the corpus, if the scale is small."""
    if work.scale.charts is None:
        return corpus
    ids = corpus.chart_ids()[: 8 * work.scale.concept_notes if most is None else most]
    return corpus.select(charts=ids)


def built(work: Work, used: Used, source: Path, options: SourceOptions) -> Path:
    def make(out: Path) -> None:
        exclusions = Exclusions()
        concepts = read(source, options, exclusions)
        Vocabulary.build(concepts, out, name=used.name, exclusions=exclusions)

    return work.kept("vocabulary", {"of": used.digest}, make)


def _own(work: Work, used: Used, train: Corpus) -> Path:
    def make(out: Path) -> None:
        Vocabulary.build(from_strings(annotated_strings(train)), out, name=used.name)

    return work.kept("vocabulary", {"own": used.digest}, make)
