"""Mapping the codes of a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.codes.gems import Gems, find_gems, packaged_gems
from auscult.core import Annotation, Code, Note, OptionError, Span
from auscult.corpus import Corpus, formats
from auscult.corpus.mapping import map_corpus


def ten(value: str, chart: str = "c1", annotator: str = "gold") -> Annotation:
    return Annotation(annotator, Code("ICD-10-CM", value), chart, f"n-{chart}", (Span(0, 2),))


def test_the_charts_own_codes_come_first_and_nothing_is_dropped() -> None:
    corpus = Corpus.of(
        [Note("n-c1", "c1", text="HTN"), Note("n-c2", "c2", text="HTN")],
        [
            ten("I10"),
            ten("I10", "c2"),
            ten("F32.A"),
            ten("I50"),
            ten("nonsense"),
            Annotation("billing", Code("ICD-9-CM", "401.1"), "c1"),
            Annotation("profee", Code("CPT", "71045"), "c1"),
        ],
    )
    mapped = map_corpus(corpus, "ICD-9-CM", packaged_gems)
    made = list(mapped.corpus.iter_annotations())
    assert [(a.annotator, str(a.code)) for a in made[:2]] == [
        ("gold", "ICD-9-CM 401.1"),
        ("gold", "ICD-9-CM 401.9"),
    ]
    assert made[0].spans == (Span(0, 2),)
    assert made[0].meta["mapped_from"] == "ICD-10-CM I10"
    assert made[0].meta["mapped_step"] == "multiple"
    assert made[3].code.value.startswith("428.")
    assert [str(a.code) for a in made[4:]] == [
        "ICD-10-CM nonsense",
        "ICD-9-CM 401.1",
        "CPT 71045",
    ]
    assert sum(mapped.steps.values()) == 5
    assert mapped.absent == {
        "malformed": ("ICD-10-CM nonsense",),
        "heading": ("ICD-10-CM I50",),
        "newer": ("ICD-10-CM F32.A",),
    }
    assert mapped.unmapped == ("ICD-10-CM nonsense",)


def test_a_preferred_set_decides_where_the_chart_does_not() -> None:
    corpus = Corpus.of([Note("n-c1", "c1")], [ten("I10")])
    mapped = map_corpus(corpus, "ICD-9-CM", packaged_gems, prefer={"401.0"})
    assert [a.code.value for a in mapped.corpus.iter_annotations()] == ["401.0"]


def test_what_cannot_be_mapped_is_said() -> None:
    corpus = Corpus.of([], [Annotation("a", Code("CPT", "71045"), "c")])
    with pytest.raises(
        OptionError, match="no codes that can be mapped to ICD-9-CM; its code systems: CPT"
    ):
        map_corpus(corpus, "ICD-9-CM", packaged_gems)
    with pytest.raises(OptionError, match="ICD-9-CM or ICD-10-CM"):
        map_corpus(corpus, "SNOMED", packaged_gems)


@pytest.mark.real
def test_mdace_comes_out_as_its_authors_mapped_it(shared_data: Path) -> None:
    """Where the mappings leave no choice, every row agrees with the published ICD-9 version."""

    def gems(source: str, target: str) -> Gems:
        return find_gems(shared_data / "gems", source, target)

    for specialty, alone in (("Inpatient", 2), ("Profee", 0)):
        folder = shared_data / "mdace" / "data" / specialty
        ours = map_corpus(formats.read("mdace", folder / "ICD-10"), "ICD-9-CM", gems)
        theirs = formats.read("mdace", folder / "ICD-9")
        published: dict[tuple[object, ...], list[Annotation]] = {}
        for annotation in theirs.iter_annotations():
            if annotation.code.system != "CPT":
                key = (annotation.chart_id, annotation.note_id, annotation.spans)
                published.setdefault(key, []).append(annotation)
        compared = agreed = without = 0
        for annotation in ours.corpus.iter_annotations():
            if "mapped_from" not in annotation.meta:
                continue
            key = (annotation.chart_id, annotation.note_id, annotation.spans)
            if not published.get(key):
                without += 1
                continue
            other = published[key].pop(0)
            if other.meta["type"] in ("MapType.EXACT", "MapType.APPROX"):
                compared += 1
                agreed += annotation.code == other.code
        assert without == alone
        assert compared > 1000
        assert agreed == compared
