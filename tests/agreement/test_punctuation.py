"""Punctuation at the ends of spans is no disagreement (MDACE, section 3.4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from auscult.agreement import AgreementUnit, agree
from auscult.agreement.adjudication import make_queue
from auscult.agreement.adjudication.status import status
from auscult.agreement.punctuation import bare
from auscult.cli.main import auscult
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus

_FINDINGS = {"R50.9": "Fever", "R05.9": "cough", "R11.0": "Nausea", "R42": "dizziness"}
_TEXT = "Fever. Dry cough; (Nausea), no dizziness."


def marked(*ends: tuple[int, int]) -> Corpus:
    """Two people mark four findings; bob as many characters more to the left and right as told."""
    annotations = []
    for (value, words), (left, right) in zip(_FINDINGS.items(), ends, strict=True):
        begin = _TEXT.index(words)
        for who, before, after in (("ann", 0, 0), ("bob", left, right)):
            span = Span(begin - before, begin + len(words) + after)
            annotations.append(Annotation(who, Code("ICD-10-CM", value), "c", "n", (span,)))
    return Corpus.of([Note("n", "c", text=_TEXT)], annotations)


FULL_STOPS = ((0, 1), (0, 1), (1, 2), (0, 1))
WORDS = ((0, 1), (4, 0), (1, 2), (3, 0))


def values(corpus: Corpus, *, exact: bool) -> dict[str, float | None]:
    found = agree(corpus, ["ann", "bob"], unit=AgreementUnit.SPAN, exact_spans=exact, times=0)
    return {name: metric.value for name, metric in found.metrics.items()}


def test_marks_that_differ_by_a_full_stop_agree() -> None:
    found = agree(marked(*FULL_STOPS), ["ann", "bob"], unit=AgreementUnit.SPAN, times=0)
    for name in ("alpha_nominal", "fleiss_kappa", "hooper_pooled", "span_jaccard", "shared_code"):
        assert found.metrics[name].value == 1, name
    assert found.metrics["alpha_unitized"].value == 1
    assert found.units == 4
    assert not any(found.causes.values())
    exact = agree(
        marked(*FULL_STOPS), ["ann", "bob"], unit=AgreementUnit.SPAN, exact_spans=True, times=0
    )
    # Eight spans of one annotator each. Of 16 sets 8 are empty and 4 pairs are alike: the expected
    # disagreement is 1 − (8·7 + 4·2·1) / (16·15), and the observed is 1.
    assert exact.metrics["alpha_nominal"].value == pytest.approx(1 - 1 / (1 - 64 / 240))
    assert exact.units == 8
    assert sum(exact.causes.values()) == 4


def test_only_the_ends_count_and_only_punctuation() -> None:
    """Two of four marks have a word more; by hand they are 2 shared spans and 4 of one person."""
    corpus = marked(*WORDS)
    found = values(corpus, exact=False)
    assert found["hooper_pooled"] == pytest.approx(2 / 6)
    assert found["span_jaccard"] == pytest.approx(2 / 6)
    # The same as with bob's marks written without punctuation.
    assert found == values(marked((0, 0), (4, 0), (0, 0), (3, 0)), exact=True)
    text = "+ guaiac: 5% (a-b)"
    assert bare(Span(0, 1), text) == Span(0, 1)
    assert bare(Span(0, 9), text).of(text) == "+ guaiac"
    assert bare(Span(13, 18), text).of(text) == "a-b"
    assert bare(Span(12, 14), text) == Span(12, 14)
    assert bare(Span(0, 99), text) == Span(0, 99)
    signs = "HIV (-), guaiac - and 5%."
    assert bare(Span(0, 8), signs).of(signs) == "HIV (-"
    assert bare(Span(9, 17), signs).of(signs) == "guaiac -"
    assert bare(Span(22, 25), signs).of(signs) == "5%"


def test_the_parts_of_a_span_and_what_has_no_text() -> None:
    code = Code("ICD-10-CM", "R50.9")
    parts = [(Span(0, 5), Span(11, 16)), (Span(0, 6), Span(11, 17))]
    notes = [Note("n", "c", text=_TEXT), Note("m", "d")]
    annotations = [
        Annotation(who, code, chart, note, spans)
        for who, spans in zip(("ann", "bob"), parts, strict=True)
        for note, chart in (("n", "c"), ("m", "d"))
    ]
    found = values(Corpus.of(notes, annotations), exact=False)
    assert found["span_jaccard"] == pytest.approx(1 / 3)


def test_one_person_who_marked_both_gives_the_code_once() -> None:
    fever, cough = Code("ICD-10-CM", "R50.9"), Code("ICD-10-CM", "R05.9")
    given = [("ann", fever, Span(0, 5)), ("ann", fever, Span(0, 6)), ("bob", cough, Span(11, 16))]
    corpus = Corpus.of(
        [Note("n", "c", text=_TEXT)],
        [Annotation(who, code, "c", "n", (span,)) for who, code, span in given],
    )
    found = agree(corpus, ["ann", "bob"], unit=AgreementUnit.SPAN, times=0)
    assert (found.units, found.metrics["hooper_pooled"].value) == (2, 0.0)
    # Said twice by one person it is not agreed.
    assert sum(found.causes.values()) == 2


def test_the_queue_asks_for_the_exact_span_and_agreement_does_not() -> None:
    queue = make_queue(marked(*FULL_STOPS), ["ann", "bob"])
    assert len(queue.items) == 4
    for exact, hooper in ((False, 1.0), (True, 0.0)):
        found = status(queue, [], unit=AgreementUnit.SPAN, exact_spans=exact, times=0)
        assert found.agreement["before"]["hooper_pooled"].value == hooper


def test_both_commands_take_the_option(tmp_path: Path) -> None:
    marked(*FULL_STOPS).write(tmp_path / "corpus")
    queue = str(tmp_path / "queue.csv")
    who = ["--annotators", "ann,bob"]
    given = ["adjudicate", "queue", str(tmp_path / "corpus"), queue, *who]
    assert CliRunner().invoke(auscult, given).exit_code == 0
    for command, more in (("agree", ()), ("adjudicate status", ("--decisions", queue))):
        asked = [
            *command.split(),
            str(tmp_path / "corpus"),
            *who,
            *more,
            "--unit",
            "span",
            "--json",
        ]
        for option, hooper in (((), 1.0), (("--exact-spans",), 0.0)):
            result = CliRunner().invoke(auscult, [*asked, *option])
            assert result.exit_code == 0, result.output
            found = json.loads(result.stdout)
            assert found["about"]["exact_spans"] is bool(option)
            value = (
                found["agreement"]["before"]["hooper_pooled"]["value"]
                if more
                else found["hooper_pooled"]
            )
            assert value == hooper
