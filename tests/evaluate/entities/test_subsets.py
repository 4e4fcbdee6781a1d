"""The subsets of Table 1 and their settings, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.evaluate.entities.hand import LESS, Said, corpus

from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, OptionError
from auscult.evaluate.entities import (
    CuiLess,
    Direct,
    EntitiesResult,
    EntitySettings,
    Popular,
    evaluate_entities,
)
from auscult.evaluate.entities.span_texts import plain
from auscult.evaluate.entities.subsets import subsets

TRAIN_TEXTS = {"t1": "pt pt pt PT Diabetes mellitus; asthma attack; cold"}
#                    0  3  6  9  12                 31             46
TRAIN = [
    Said("C1", 0, 2, "t1"),  # pt: prothrombin time, three times
    Said("C1", 3, 5, "t1"),
    Said("C1", 6, 8, "t1"),
    Said("C2", 9, 11, "t1"),  # PT: physical therapy, once
    Said("C3", 12, 29, "t1"),
    Said("C4", 31, 44, "t1"),
    Said(LESS, 46, 50, "t1"),
]
TEXTS = {"n1": "pt pt diabetes mellitus her asthma attack cold sugar disease PT"}
#               0  3  6                 24                42   47            61
GOLD = [
    Said("C1", 0, 2),  # 0 popular
    Said("C2", 3, 5),  # 1 unpopular
    Said("C3", 6, 23),  # 2 seen in another case
    Said("C4", 24, 41),  # 3 her asthma attack
    Said(LESS, 42, 46),  # 4 CUI-less
    Said("C5", 47, 60),  # 5 sugar disease: new text, new concept
    Said("C9", 61, 63),  # 6 PT: a new concept for a text that is seen
]
NAMES = ("pt", "pt unpopular", "diabetes", "asthma", "less", "sugar", "new pt")


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    def concept(value: str, name: str, *synonyms: str, kind: tuple[str, ...] = ()) -> Concept:
        code = Code("UMLS", value)
        return Concept(code, name, tuple(Synonym(s, "SNOMEDCT_US") for s in synonyms), kind)

    return Vocabulary.build(
        [
            concept("C1", "Prothrombin time", "PT", kind=("Laboratory Procedure",)),
            concept("C2", "Physical therapy", kind=("Therapeutic Procedure", "Activity")),
            concept("C3", "Diabetes mellitus", kind=("Disease",)),
            concept("C4", "Asthma attack", kind=("Disease", "Finding")),
            concept("C5", "Diabetes", kind=("Disease",)),
        ],
        tmp_path_factory.mktemp("vocabulary") / "v",
    )


def chosen(
    name: str, vocabulary: Vocabulary | None, settings: EntitySettings | None = None
) -> list[str]:
    """The names of the spans in a subset: those on which a perfect system counts."""
    found = measured(vocabulary, settings)
    bench = found.gathered
    spans = subsets(
        bench.texts,
        bench.concepts_of,
        bench.asked,
        bench.training,
        bench.terminology,
        found.settings,
        bench.concepts,
    )[name].spans
    assert found.subsets[name].n == spans.sum()
    return [NAMES[at] for at in range(len(GOLD)) if spans[at]]


def measured(
    vocabulary: Vocabulary | None,
    settings: EntitySettings | None = None,
    train: Sequence[Said] = TRAIN,
) -> EntitiesResult:
    return evaluate_entities(
        corpus("gold", GOLD, TEXTS),
        {"s": corpus("s", GOLD[:3], TEXTS)},
        train=corpus("gold", train, TRAIN_TEXTS),
        vocabulary=vocabulary,
        settings=settings,
        times=0,
    )


def test_unseen_text(vocabulary: Vocabulary) -> None:
    assert chosen("unseen_text", vocabulary) == ["sugar"]
    assert chosen("unseen_text", vocabulary, EntitySettings(fold_case=False)) == [
        "diabetes",
        "sugar",
    ]
    kept = EntitySettings(strip_possessives=False)
    assert chosen("unseen_text", vocabulary, kept) == ["asthma", "sugar"]


def test_unseen_concept(vocabulary: Vocabulary) -> None:
    """CUI-less is no concept, so it is never a new one."""
    assert chosen("unseen_concept", vocabulary) == ["sugar", "new pt"]


def test_top(vocabulary: Vocabulary) -> None:
    """CUI-less is not among the most frequent; equals go by their code, whoever has them."""
    assert chosen("top_1", vocabulary, EntitySettings(top=1)) == ["pt"]
    assert chosen("top_2", vocabulary, EntitySettings(top=2)) == ["pt", "pt unpopular"]
    more = [*TRAIN, Said("C0", 46, 50, "t1")]
    found = measured(vocabulary, EntitySettings(top=2), more)
    assert found.subsets["top_2"].n == 1  # C0, which gold does not have, comes before C2


def test_multi_word(vocabulary: Vocabulary) -> None:
    assert chosen("multi_word", vocabulary) == ["diabetes", "asthma", "sugar"]


def test_direct_match(vocabulary: Vocabulary) -> None:
    assert chosen("no_direct_match", vocabulary) == ["less", "sugar"]
    by_concept = EntitySettings(direct=Direct.CONCEPT)
    expected = ["pt unpopular", "less", "sugar", "new pt"]
    assert chosen("no_direct_match", vocabulary, by_concept) == expected


def test_unpopular(vocabulary: Vocabulary) -> None:
    """pt is C1 three times and C2 once; gold's own pt are C1, C2 and C9, once each."""
    assert chosen("unpopular", vocabulary) == ["pt unpopular", "new pt"]
    assert chosen("unpopular", vocabulary, EntitySettings(popular=Popular.GOLD)) == []
    # In its own case PT is C2 in training.
    assert chosen("unpopular", vocabulary, EntitySettings(fold_case=False)) == [
        "pt unpopular",
        "new pt",
    ]


def test_ignoring_cui_less_leaves_it_out_of_every_subset(vocabulary: Vocabulary) -> None:
    settings = EntitySettings(cui_less=CuiLess.IGNORE)
    assert chosen("all", vocabulary, settings) == [name for name in NAMES if name != "less"]
    assert chosen("no_direct_match", vocabulary, settings) == ["sugar"]


def test_names_from_a_corpus_are_no_direct_match(tmp_path: Path) -> None:
    """A vocabulary that was given the training strings must not make them direct matches."""
    code = Code("UMLS", "C5")
    seen = Concept(code, "Diabetes", (Synonym("sugar disease", "corpus"),))
    built = Vocabulary.build([seen], tmp_path / "v")
    assert "sugar" in chosen("no_direct_match", built)


def test_types_with_a_least_number_and_several_types(vocabulary: Vocabulary) -> None:
    types = measured(vocabulary, EntitySettings(least=1)).types
    assert {name: row.n for name, row in types.items()} == {
        "Disease": 3,
        "Activity": 1,
        "Finding": 1,
        "Laboratory Procedure": 1,
        "Therapeutic Procedure": 1,
    }
    assert next(iter(types)) == "Disease"
    assert types["Disease"].systems["s"].value == pytest.approx(1 / 3)
    assert list(measured(vocabulary, EntitySettings(least=2)).types) == ["Disease"]


def test_types_of_the_annotations_serve_without_a_vocabulary() -> None:
    gold = corpus("gold", GOLD, TEXTS, meta="Problem")
    found = evaluate_entities(gold, {"s": gold}, settings=EntitySettings(least=1), times=0)
    assert found.types_from == "annotations"
    assert {name: row.n for name, row in found.types.items()} == {"Problem": 7}


def test_what_cannot_be_told_says_why() -> None:
    gold = corpus("gold", GOLD, {"n1": None})
    found = evaluate_entities(gold, {"s": gold}, times=0)
    assert found.subsets["top_100"].undefined == "there is no training corpus (train)"
    unknown = "the text of 7 of 7 spans is not known; import the notes with their text"
    assert found.subsets["multi_word"].undefined == unknown
    row = found.subsets["unpopular"]
    assert row.systems["s"].value is None
    assert row.max.value is None
    assert found.subsets["all"].systems["s"].value == 1


def test_accuracies_max_average_and_pooled(vocabulary: Vocabulary) -> None:
    systems = {
        "a": corpus("a", [GOLD[0], GOLD[1], GOLD[5]], TEXTS),
        "b": corpus("b", [GOLD[0], GOLD[6]], TEXTS),
    }
    found = evaluate_entities(
        corpus("gold", GOLD, TEXTS),
        systems,
        train=corpus("gold", TRAIN, TRAIN_TEXTS),
        vocabulary=vocabulary,
        times=0,
    )
    row = found.subsets["all"]
    assert (row.best, row.max.value) == ("a", 3 / 7)
    assert row.average.value == pytest.approx((3 / 7 + 2 / 7) / 2)
    assert row.pooled.value == 4 / 7
    row = found.subsets["unpopular"]
    assert (row.max.value, row.average.value, row.pooled.value) == (1 / 2, 1 / 2, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("her diabetes", "diabetes"),
        ("Their  acute\nasthma", "acute asthma"),
        ("his", "his"),
        ("her2 positive", "her2 positive"),
        ("Hershey", "hershey"),
    ],
)
def test_possessives(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_settings_that_cannot_be() -> None:
    with pytest.raises(OptionError, match="least must be at least 1; got 0"):
        EntitySettings(least=0)
