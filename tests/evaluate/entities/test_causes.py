"""Causes of errors and credit along the hierarchy, with a small vocabulary."""

from __future__ import annotations

import pytest
from tests.evaluate.entities.hand import LESS, Said, corpus

from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, OptionError
from auscult.evaluate.entities import EntitiesResult, ErrorCause, evaluate_entities

TEXTS = {"n1": "cold; malabsorption; tube feeds; left breast; asthma"}
COLD, MAL, TUBE, BREAST, ASTHMA = (0, 4), (6, 19), (21, 31), (33, 44), (46, 52)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    def concept(value: str, name: str, kind: str, *names: str, above: str = "") -> Concept:
        synonyms = tuple(map(Synonym, names))
        parents = (above,) if above else ()
        return Concept(Code("UMLS", value), name, synonyms, (kind,), (), parents)

    return Vocabulary.build(
        [
            concept("C0", "Disease", "Disease"),
            concept("C1", "Common cold", "Disease", "cold", above="C6"),
            concept("C2", "Cold sensation", "Finding", "cold"),
            concept("C3", "Malabsorption", "Disease", above="C0"),
            concept("C4", "Malabsorption syndrome", "Disease", above="C0"),
            concept("C5", "Tube feeding of patient", "Procedure"),
            concept("C55", "Tube feeding diet", "Food"),
            concept("C6", "Respiratory disorder", "Disease", above="C0"),
            concept("C7", "Asthma", "Disease", above="C6"),
            concept("C8", "Childhood-onset wheeze", "Disease", above="C7"),
            concept("C9", "Gout", "Disease", above="C0"),
        ],
        tmp_path_factory.mktemp("vocabulary") / "v",
    )


def measured(gold: list[Said], system: list[Said], vocabulary: Vocabulary) -> EntitiesResult:
    return evaluate_entities(
        corpus("gold", gold, TEXTS),
        {"s": corpus("s", system, TEXTS)},
        vocabulary=vocabulary,
        times=0,
    )


@pytest.mark.parametrize(
    ("gold", "given", "cause"),
    [
        (("C7", *ASTHMA), None, ErrorCause.MISSED),
        (("C2", *COLD), ("C1", *COLD), ErrorCause.WRONG_SENSE),
        (("C3", *MAL), ("C4", *MAL), ErrorCause.NEAR_SYNONYM),
        (("C7", *ASTHMA), ("C8", *ASTHMA), ErrorCause.NEAR_SYNONYM),  # its child
        (("C5", *TUBE), ("C55", *TUBE), ErrorCause.WRONG_TYPE),
        (("C7", *ASTHMA), ("C5", *ASTHMA), ErrorCause.WRONG_TYPE),
        (("C7", *ASTHMA), ("C9", *ASTHMA), ErrorCause.OTHER_CONCEPT),
        (("C7", *ASTHMA), ("C404", *ASTHMA), ErrorCause.OTHER_CONCEPT),  # in no vocabulary
        (("C7", *ASTHMA), (LESS, *ASTHMA), ErrorCause.CUI_LESS),
        ((LESS, *ASTHMA), ("C7", *ASTHMA), ErrorCause.CUI_LESS),
        (("C9", *BREAST), ("C9", 38, 44), ErrorCause.BOUNDARY),
        (("C9", *BREAST), ("C7", 38, 44), ErrorCause.BOUNDARY_AND_CONCEPT),
        ((LESS, *BREAST), ("C7", 38, 44), ErrorCause.BOUNDARY_AND_CONCEPT),
    ],
)
def test_causes(
    gold: tuple[str, int, int],
    given: tuple[str, int, int] | None,
    cause: ErrorCause,
    vocabulary: Vocabulary,
) -> None:
    system = [] if given is None else [Said(*given)]
    found = measured([Said(*gold)], system, vocabulary)
    assert [one.cause for one in found.wrong("s")] == [cause]
    assert found.systems["s"].causes[cause] == 1


def test_a_span_that_is_another_gold_span_is_no_attempt(vocabulary: Vocabulary) -> None:
    """`breast` found and `left breast` not: the second is missed, and no boundary is wrong."""
    gold = [Said("C9", *BREAST), Said("C7", 38, 44)]
    found = measured(gold, [Said("C7", 38, 44)], vocabulary)
    assert [one.cause for one in found.wrong("s")] == [ErrorCause.MISSED]


def test_the_right_concept_on_another_gold_span_is_a_wrong_boundary(vocabulary: Vocabulary) -> None:
    gold = [Said("C9", *BREAST), Said("C7", 38, 44)]
    found = measured(gold, [Said("C9", 38, 44)], vocabulary)
    assert [one.cause for one in found.wrong("s")] == [
        ErrorCause.BOUNDARY,
        ErrorCause.OTHER_CONCEPT,
    ]
    same = [Said("C9", *BREAST), Said("C9", 38, 44)]
    found = measured(same, [Said("C9", 38, 44)], vocabulary)  # right there, and no attempt here
    assert [one.cause for one in found.wrong("s")] == [ErrorCause.MISSED]


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        (("C9", *BREAST), None),
        ((LESS, *BREAST), None),
        (("C7", *BREAST), ErrorCause.OTHER_CONCEPT),
        (("C9", 38, 44), ErrorCause.BOUNDARY),
        (("C7", 38, 44), ErrorCause.BOUNDARY_AND_CONCEPT),
        ((LESS, 38, 44), ErrorCause.BOUNDARY_AND_CONCEPT),
        (("C7", *ASTHMA), ErrorCause.MISSED),
    ],
)
def test_causes_where_gold_is_cui_less_with_a_near_match(
    given: tuple[str, int, int], cause: ErrorCause | None, vocabulary: Vocabulary
) -> None:
    gold = [Said(LESS, *BREAST), Said("C9", *BREAST)]
    found = measured(gold, [Said(*given)], vocabulary)
    assert [one.cause for one in found.wrong("s")] == ([] if cause is None else [cause])


def test_a_wrong_boundary_says_what_was_given_nearby(vocabulary: Vocabulary) -> None:
    found = measured([Said("C9", *BREAST)], [Said("C9", 38, 44), Said("C7", 33, 37)], vocabulary)
    (one,) = found.wrong("s")
    assert one.given == ()
    assert [(near.begin, near.end, near.codes[0].value) for near in one.nearby] == [
        (33, 37, "C7"),
        (38, 44, "C9"),
    ]
    assert found.errors()["nearby"].to_list() == ["33-37 UMLS C7; 38-44 UMLS C9"]
    (missed,) = measured([Said("C9", *BREAST)], [], vocabulary).wrong("s")
    assert missed.nearby == ()


def test_training_tells_senses_without_a_vocabulary() -> None:
    gold = corpus("gold", [Said("C2", *COLD)], TEXTS)
    train = corpus("g", [Said("C1", 0, 4, "t"), Said("C2", 5, 9, "t")], {"t": "cold Cold"})
    system = {"s": corpus("s", [Said("C1", *COLD)], TEXTS)}
    found = evaluate_entities(gold, system, train=train, times=0)
    assert found.systems["s"].causes[ErrorCause.WRONG_SENSE] == 1
    found = evaluate_entities(gold, system, times=0)
    assert found.systems["s"].causes[ErrorCause.OTHER_CONCEPT] == 1


def test_wrong_spans_say_what_was_meant_and_given(vocabulary: Vocabulary) -> None:
    gold = [Said("C2", *COLD), Said("C9", *COLD)]
    given = [Said("C7", *COLD, score=0.1), Said("C1", *COLD, score=0.9)]
    found = measured(gold, given, vocabulary)
    (one,) = found.wrong("s")
    assert (one.note_id, one.begin, one.end, one.text) == ("n1", 0, 4, "cold")
    assert [code.value for code in one.given] == ["C1", "C7"]
    table = found.errors()
    assert table.row(0)[:4] == ("s", "n1", 0, 4)
    assert "text" not in table.columns


@pytest.mark.parametrize(
    ("given", "path", "f1"),
    [
        ("C7", 1, 1),
        ("C6", 1 / 2, 2 * 1 / (2 + 1)),  # the parent; C0 is the root and counts for nothing
        ("C8", 1 / 2, 2 * 2 / (2 + 3)),  # the child
        ("C0", 1 / 4, 0),
        ("C1", 0, 2 * 1 / (2 + 2)),  # a sibling
        ("C9", 0, 0),  # only the root in common
        ("C5", 0, 0),
        ("C404", 0, 0),
        (LESS, 0, 0),
    ],
)
def test_credit_along_the_hierarchy(
    given: str, path: float, f1: float, vocabulary: Vocabulary
) -> None:
    found = measured([Said("C7", *ASTHMA)], [Said(given, *ASTHMA)], vocabulary)
    assert found.rules["hierarchy_path"].systems["s"].value == pytest.approx(path)
    assert found.rules["hierarchy_f1"].systems["s"].value == pytest.approx(f1)


def test_of_several_gold_concepts_the_nearest_counts(vocabulary: Vocabulary) -> None:
    gold = [Said("C9", *ASTHMA), Said("C7", *ASTHMA)]
    found = measured(gold, [Said("C8", *ASTHMA)], vocabulary)
    assert found.rules["hierarchy_path"].systems["s"].value == 1 / 2


def test_credit_is_for_the_first_answer_only(vocabulary: Vocabulary) -> None:
    given = [Said("C9", *ASTHMA, score=0.9), Said("C6", *ASTHMA, score=0.5)]
    found = measured([Said("C7", *ASTHMA)], given, vocabulary)
    assert found.rules["hierarchy_path"].systems["s"].value == 0


def test_a_hierarchy_rule_needs_a_hierarchy() -> None:
    gold = corpus("gold", [Said("C7", *ASTHMA)], TEXTS)
    with pytest.raises(OptionError, match="vocabulary with parents"):
        evaluate_entities(gold, {"s": gold}, rule="hierarchy_path", times=0)
    found = evaluate_entities(gold, {"s": gold}, times=0)
    assert found.rules["hierarchy_path"].undefined is not None
