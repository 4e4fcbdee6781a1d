"""NCBI disease: spans given, what their text means, with the Disease Ontology's names alone."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import pytest

from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code
from auscult.corpus import formats
from auscult.models.architecture import TrainingData
from auscult.models.entities.gold_mentions import marked
from auscult.models.entities.linker import Linker
from auscult.models.span_annotation import places_of

SYSTEMS = {"MESH": "MeSH", "MIM": "OMIM"}
PARTS = ("lookup", "names", "abbreviations", "stems", "trigrams", "context", "ranker")


@pytest.fixture(scope="module")
def ontology(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    names: dict[Code, dict[str, Synonym]] = {}
    with (shared_data / "doid" / "allXREFinDO.tsv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            prefix, _, value = row["xref"].partition(":")
            if prefix in SYSTEMS:
                known = names.setdefault(Code(SYSTEMS[prefix], value), {})
                known.setdefault(row["label"], Synonym(row["label"], "DOID"))
    concepts = [Concept(code, next(iter(of)), tuple(of.values())) for code, of in names.items()]
    return Vocabulary.build(concepts, tmp_path_factory.mktemp("doid") / "vocabulary")


def right(folder: Path, vocabulary: Vocabulary, parts: tuple[str, ...]) -> float:
    """The part of the development spans whose first concept is right, counted here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train, devel = (formats.read("pubtator", folder / name) for name in ("train", "devel"))
    config = Linker.config_type(semantic_types=(), ablate=tuple(p for p in PARTS if p not in parts))
    model = Linker.fit(
        TrainingData(
            notes=marked(train.iter_notes(), train.iter_annotations()), vocabulary=vocabulary
        ),
        config,
        seed=0,
    )
    gold: dict[tuple[str, tuple[object, ...]], set[Code]] = {}
    for one in devel.iter_annotations():
        gold.setdefault((one.note_id or "", one.spans), set()).add(one.code)
    said: dict[tuple[str, tuple[object, ...]], tuple[float, Code]] = {}
    places = places_of(devel.iter_annotations())
    for found in model.link(devel.iter_notes(), places):
        place = (found.note.note_id, found.spans)
        said[place] = max(said.get(place, (-1.0, found.code)), (found.score, found.code))
    return sum(said[place][1] in codes for place, codes in gold.items()) / len(gold)


@pytest.mark.real
def test_retrieval_alone_reads_most_spans(shared_data: Path, ontology: Vocabulary) -> None:
    folder = shared_data / "ncbi_disease"
    lookup = right(folder, ontology, ("lookup",))
    # What a lookup of training strings comes to is counted in tests/evaluate/entities too.
    assert 0.62 < lookup < 0.66
    retrieved = right(folder, ontology, PARTS[:5])
    assert retrieved >= 0.81
    assert retrieved > lookup + 0.1
