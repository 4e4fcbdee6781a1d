"""NCBI disease: a lookup of training strings on the development abstracts, counted twice."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import pytest

from auscult.core import Annotation, Code
from auscult.corpus import Corpus, formats
from auscult.evaluate.entities import EntitiesResult, evaluate_entities

Spans = dict[tuple[str, int, int], set[Code]]


def spans_of(corpus: Corpus) -> Spans:
    found: Spans = {}
    for one in corpus.iter_annotations():
        (span,) = one.spans
        found.setdefault((one.note_id or "", span.begin, span.end), set()).add(one.code)
    return found


@pytest.fixture(scope="module")
def corpora(shared_data: Path) -> tuple[Corpus, Corpus]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = shared_data / "ncbi_disease"
        return tuple(formats.read("pubtator", folder / part) for part in ("train", "devel"))  # type: ignore[return-value]  # two of them


@pytest.fixture(scope="module")
def looked_up(corpora: tuple[Corpus, Corpus]) -> tuple[Counter[tuple[str, Code]], Corpus]:
    train, devel = corpora
    texts = {note.note_id: note.text or "" for note in train.iter_notes()}
    meant: Counter[tuple[str, Code]] = Counter()
    for (note, begin, end), codes in spans_of(train).items():
        for code in codes:
            meant[" ".join(texts[note][begin:end].lower().split()), code] += 1
    best: dict[str, Code] = {}
    for (text, code), _ in meant.most_common():
        best.setdefault(text, code)
    texts = {note.note_id: note.text or "" for note in devel.iter_notes()}
    given = {}
    for one in devel.iter_annotations():
        text = " ".join(one.spans[0].of(texts[one.note_id or ""]).lower().split())
        if text in best:
            given[one.note_id, one.spans] = Annotation(
                "lookup", best[text], one.chart_id, one.note_id, one.spans
            )
    return meant, Corpus.of(devel.iter_notes(), given.values())


@pytest.fixture(scope="module")
def found(
    corpora: tuple[Corpus, Corpus], looked_up: tuple[Counter[tuple[str, Code]], Corpus]
) -> EntitiesResult:
    train, devel = corpora
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate_entities(devel, {"lookup": looked_up[1]}, train=train, times=200)


@pytest.mark.real
def test_counts_of_the_corpus(found: EntitiesResult) -> None:
    assert (found.notes, found.spans, found.cui_less) == (100, 787, 0)
    assert found.several == 30


@pytest.mark.real
def test_the_lookup_is_as_right_as_loops_say(
    found: EntitiesResult,
    corpora: tuple[Corpus, Corpus],
    looked_up: tuple[Counter[tuple[str, Code]], Corpus],
) -> None:
    gold, given = spans_of(corpora[1]), spans_of(looked_up[1])
    right = sum(bool(codes & given.get(place, set())) for place, codes in gold.items())
    metric = found.subsets["all"].systems["lookup"]
    assert metric.value == pytest.approx(right / len(gold))
    assert metric.interval is not None
    assert metric.interval[0] < right / len(gold) < metric.interval[1]
    exact = sum(codes == given.get(place) for place, codes in gold.items())
    assert found.rules["exact_set"].systems["lookup"].value == pytest.approx(exact / len(gold))
    meant, texts = looked_up[0], {n.note_id: n.text or "" for n in corpora[1].iter_notes()}
    known, concepts = {text for text, _ in meant}, {code for _, code in meant}
    unseen = sum(
        " ".join(texts[note][begin:end].lower().split()) not in known for note, begin, end in gold
    )
    assert found.subsets["unseen_text"].n == unseen
    assert found.subsets["unseen_text"].systems["lookup"].value == 0
    assert found.subsets["unseen_concept"].n == sum(not codes & concepts for codes in gold.values())


@pytest.mark.real
def test_overall_accuracy_hides_how_brittle_a_lookup_is(found: EntitiesResult) -> None:
    lookup = found.systems["lookup"]
    assert lookup.brittleness.worst == "unseen_text"
    assert lookup.brittleness.best == "top_100"
    assert lookup.brittleness.spread.value == found.subsets["top_100"].systems["lookup"].value
    assert set(found.types) == {"SpecificDisease", "Modifier", "DiseaseClass"}
