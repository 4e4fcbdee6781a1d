"""Notes with gold concepts, a vocabulary, and entity linking systems."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from auscult.codes.exclusions import Exclusions
from auscult.codes.sources import SourceOptions, from_strings, read
from auscult.codes.vocabulary import Vocabulary
from auscult.core.randomness import shuffled
from auscult.corpus import Corpus, formats
from auscult.corpus.vocabulary_terms import annotated_strings
from auscult.evaluate.entities import EntitiesResult, evaluate_entities
from auscult.models.fitting import fit
from auscult.models.span_annotation import places_of
from auscult.reproduce import hospital
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.work import Workspace

MCN = "MCN, the corpus of n2c2 2019 track 3 (credentialed), and the UMLS (licensed)"
TEAMS = (
    "the submissions of the ten best teams, which were not published "
    "(--mcn-systems, if you have them)"
)
TASK_STAND_IN = (
    "notes of the synthetic hospital with its own vocabulary, or with --ncbi the abstracts of NCBI "
    "disease"
)
OURS = "seven increasingly capable systems of Auscult, instead of the teams"
STAND_IN = f"{TASK_STAND_IN}; {OURS}"
END_TO_END = ("metamap", "ctakes")
"""Folders of --mcn-systems that are not of a team."""
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
    "the linker": _PARTS,
}


@dataclass(frozen=True, slots=True)
class EntityTask:
    """Training and test notes with gold concepts, and the names of concepts."""

    train: Corpus = field(repr=False)
    test: Corpus = field(repr=False)
    vocabulary: Path
    used: tuple[UsedData, ...]

    @property
    def basis(self) -> Basis:
        """The basis of its numbers."""
        return self.used[0].basis


def task(work: Workspace) -> EntityTask:
    """MCN with the UMLS if both are given, NCBI disease if that is, or notes of the hospital."""
    mcn, names = work.sources.get("mcn"), umls(work)
    if mcn is not None and names is not None:
        corpus = formats.read("mcn", mcn)
        used = work.used("MCN", Basis.REAL, "MCN as released for n2c2 2019 track 3", mcn)
        train, test = (corpus.select(splits=[split]) for split in ("train", "test"))
        return EntityTask(train, test, names[0], (used, names[1]))
    if (ncbi := work.sources.get("ncbi")) is not None:
        train, test = (formats.read("pubtator", ncbi / part) for part in ("train", "devel"))
        description = "NCBI disease, train and devel; the names are those of the training abstracts"
        used = work.used("NCBI disease", Basis.OPEN, description, ncbi)
        return EntityTask(_first(train, work), _first(test, work), _own(work, used, train), (used,))
    folder = hospital.hospital(work)
    marked = _marked(folder)
    charts = shuffled(sorted(marked.chart_ids()), random.Random(0))
    half = len(charts) * 2 // 3
    used = hospital.used(work, "concepts", "mimic3", "vocabulary")
    gold = marked.select(annotators=[GOLD])
    return EntityTask(
        _first(gold.select(charts=charts[:half]), work, work.scale.concept_notes),
        _first(gold.select(charts=charts[half:]), work, work.scale.concept_notes // 2),
        built(work, used, folder / "vocabulary", SourceOptions()),
        (used,),
    )


def umls(work: Workspace) -> tuple[Path, UsedData] | None:
    """The vocabulary of the user's UMLS, if it is given."""
    given = work.sources.get("umls")
    if given is None:
        return None
    used = work.used("UMLS", Basis.REAL, "SNOMED CT and RxNorm in the UMLS", given)
    return built(work, used, given, SourceOptions(sources=SABS)), used


def both_annotators(work: Workspace) -> Corpus:
    """The hospital's notes with the concepts of both of its annotators."""
    return _marked(hospital.hospital(work))


def readers(work: Workspace, given: EntityTask) -> tuple[dict[str, Corpus], Basis]:
    """The systems that link each gold span, and whether they are the paper's teams."""
    folder = work.sources.get("mcn-systems")
    if folder is not None and given.basis is Basis.REAL:
        teams = sorted(
            place for place in folder.iterdir() if place.is_dir() and place.name not in END_TO_END
        )
        texts = given.test.select(annotators=[])
        systems = {
            place.name: texts.with_annotations(formats.read("mcn", place).iter_annotations())
            for place in teams
        }
        return systems, Basis.REAL
    return _ours(given), Basis.STAND_IN


def normalized(work: Workspace) -> tuple[EntitiesResult, EntityTask, Basis]:
    """All systems on the gold spans, by subset and by semantic type."""

    def make() -> tuple[EntitiesResult, EntityTask, Basis]:
        given = task(work)
        systems, who = readers(work, given)
        return measured(work, given, systems, rule="first"), given, who

    return work.once("normalized", make)


def measured(
    work: Workspace, given: EntityTask, systems: Mapping[str, Corpus], *, rule: str
) -> EntitiesResult:
    """The benchmark of some systems."""
    with quietly():
        return evaluate_entities(
            given.test,
            systems,
            train=given.train,
            vocabulary=Vocabulary.open(given.vocabulary),
            rule=rule,
            times=work.scale.resamples,
        )


@contextmanager
def quietly() -> Iterator[None]:
    """Without the warnings for users, who did not ask for this evaluation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def _ours(given: EntityTask) -> dict[str, Corpus]:
    notes = list(given.test.iter_notes())
    places = places_of(given.test.iter_annotations())
    found = {}
    for name, parts in _STEPS.items():
        without = tuple(part for part in _PARTS if part not in parts)
        config = {"vocabulary": str(given.vocabulary), "ablate": without}
        with quietly():
            model = fit(given.train, "linker", config)
        found[name] = Corpus.of(notes, model.predict(notes, spans=places))
    return found


def _marked(folder: Path) -> Corpus:
    """The hospital's annotated notes."""
    marks = formats.read("jsonl", folder / "concepts" / "annotations.jsonl")
    ids = {one.note_id for one in marks.iter_annotations()}
    notes = formats.read("mimic3", folder / "mimic3")
    kept = [replace(one, split=None) for one in notes.iter_notes() if one.note_id in ids]
    return Corpus.of(kept, marks.iter_annotations())


def _first(corpus: Corpus, work: Workspace, most: int | None = None) -> Corpus:
    """A limited number of notes of the corpus, at a small scale."""
    if work.scale.charts is None:
        return corpus
    ids = corpus.chart_ids()[: 8 * work.scale.concept_notes if most is None else most]
    return corpus.select(charts=ids)


def built(work: Workspace, used: UsedData, source: Path, options: SourceOptions) -> Path:
    def make(out: Path) -> None:
        exclusions = Exclusions()
        concepts = read(source, options, exclusions)
        Vocabulary.build(concepts, out, name=used.name, exclusions=exclusions)

    return work.kept("vocabulary", {"of": used.digest}, make)


def _own(work: Workspace, used: UsedData, train: Corpus) -> Path:
    def make(out: Path) -> None:
        Vocabulary.build(from_strings(annotated_strings(train)), out, name=used.name)

    return work.kept("vocabulary", {"own": used.digest}, make)
