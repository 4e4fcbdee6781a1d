"""The uniform filter draws from the vocabulary of the audited model's encoder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.models.neural.tiny import save_model, tokenizer

from auscult.audit.run import Audit, AuditPlan, audit
from auscult.core import Annotation, Code, Note
from auscult.corpus import Corpus
from auscult.models.fitting import fit
from auscult.models.model import Model

STATE = Code("outcome", "ill")
WORDS = ("zebra", "yacht", "xylem", "waltz", "vixen", "umbra", "tango", "sable")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Notes none of whose words is in the vocabulary of the encoder."""
    notes = [
        Note(str(at), str(at), f"p{at}", text=" ".join(WORDS[at % 4 :]), read_by=("gold",))
        for at in range(12)
    ]
    return Corpus.of(notes, [Annotation("gold", STATE, str(at)) for at in range(0, 12, 2)])


@pytest.fixture(scope="module")
def bert(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Model:
    encoder = str(save_model(tmp_path_factory.mktemp("encoder")))
    return fit(corpus, "transformer", {"encoder": encoder, "epochs": 1, "threads": 1})


def audited(
    out: Path,
    corpus: Corpus,
    model: Model,
    other: Model | None = None,
    vocabulary: tuple[str, ...] | None = None,
) -> Audit:
    plan = AuditPlan(STATE, ("waltz",), times=0)
    return audit(model, list(corpus.charts()), plan, out, other=other, vocabulary=vocabulary)


def drawn(found: Audit) -> set[str]:
    table = found.found.table
    uniform = table.filters.index("uniform")
    return {word for word, at in zip(table.replacement, table.filter, strict=True) if at == uniform}


def test_it_draws_whole_words_of_the_encoder(bert: Model, corpus: Corpus, tmp_path: Path) -> None:
    pieces = tokenizer().get_vocab()
    found = audited(tmp_path, corpus, bert)
    assert len(drawn(found)) == 5
    assert all(word in pieces and word.isalpha() and len(word) > 1 for word in drawn(found))
    # By the definition: neither marks such as [CLS], nor ends of words such as ##tension.
    whole = [one for one in pieces if one.isalpha() and len(one) > 1]
    assert set(bert.encoder_words() or ()) == set(whole)
    assert found.uniform == f"{len(whole)} words of the encoder of {bert.name}"
    assert found.to_dict()["uniform_filter"] == found.uniform


def test_both_models_get_the_words_of_the_only_encoder(
    bert: Model, corpus: Corpus, tmp_path: Path
) -> None:
    linear = fit(corpus, "linear", {"min_df": 1})
    assert linear.encoder_words() is None
    pair = audited(tmp_path / "pair", corpus, linear, bert)
    assert drawn(pair) == drawn(audited(tmp_path / "bert", corpus, bert))
    alone = audited(tmp_path / "alone", corpus, linear)
    assert drawn(alone) < set(WORDS)
    assert alone.uniform == "the words of the charts"


def test_words_that_are_given_come_first(bert: Model, corpus: Corpus, tmp_path: Path) -> None:
    given = ("alder", "beech", "cedar", "elder", "hazel", "larch")
    found = audited(tmp_path, corpus, bert, vocabulary=given)
    assert drawn(found) <= set(given)
    assert found.uniform == "6 words given"
