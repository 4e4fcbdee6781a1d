"""A transformer learns codes and evidence, whatever its chunks, and is kept whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tests.models.neural.conftest import CODES, FILLERS, SIGNS, make_chart, make_charts
from tests.models.neural.tiny import save_model
from transformers import GPT2Config, LlamaConfig, RobertaConfig, RobertaModel, T5Config

from auscult.core import Annotation, AuscultError, Code, Note, OptionError, Span
from auscult.core.progress import listening
from auscult.corpus.corpus import Corpus
from auscult.learning.weights import WEIGHTS
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import ScoredChart
from auscult.models.examples import Example
from auscult.models.fitting import fit as fit_model
from auscult.models.label_space import LabelSpace
from auscult.models.model import Model
from auscult.models.neural import pretrained, subwords
from auscult.models.neural.transformer import Transformer, TransformerConfiguration

SMALL: dict[str, Any] = {
    "epochs": 10, "batch_size": 4, "learning_rate": 3e-3, "threads": 1, "chunk_overlap": 4
}  # fmt: skip
Fit = Callable[..., Transformer]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def fit(model: Path, labels: LabelSpace) -> Fit:
    def fitted(
        train: list[Example],
        dev: list[Example] | None = None,
        directory: Path | None = None,
        **given: Any,
    ) -> Transformer:
        config = TransformerConfiguration(**{"encoder": str(model), **SMALL, **given})
        return Transformer.fit(
            TrainingData(train, dev or [], labels), config, seed=0, directory=directory
        )

    return fitted


@pytest.fixture(scope="session")
def learned(model: Path) -> Transformer:
    """Half of its training charts have codes without evidence."""
    labels = LabelSpace(tuple(Code("ICD-9-CM", value) for value in CODES), (1,) * len(CODES))
    config = TransformerConfiguration(encoder=str(model), **SMALL, evidence="supervised")
    return Transformer.fit(TrainingData(make_charts(40, pointed=0.5), [], labels), config, seed=0)


def read(fitted: Transformer, made: list[Example]) -> list[ScoredChart]:
    """Readings with evidence for the gold codes."""
    gold = {one.chart_id: one.codes for one in made}
    return list(fitted.read((one.text for one in made), lambda text, _: gold[text.chart_id]))


def change(fitted: Transformer, **given: Any) -> Transformer:
    """The same network, told to read in another way."""
    again = Transformer(fitted.network, fitted.subwords, fitted.config.model_copy(update=given))
    chunk = again.config.chunk_size
    if chunk:
        again.subwords = subwords.Subwords.of(
            fitted.subwords.tokenizer, chunk, again.config.chunk_overlap
        )
    return again


def alike(one: list[ScoredChart], other: list[ScoredChart], **tolerance: Any) -> bool:
    """Whether two readings give the same scores and point at the same words as much."""
    return all(
        mine.evidence.keys() == theirs.evidence.keys()
        and np.allclose(mine.scores, theirs.scores, **tolerance)
        and all(
            np.allclose(
                pointed.by_word(len(mine.text)),
                theirs.evidence[code].by_word(len(mine.text)),
                **tolerance,
            )
            for code, pointed in mine.evidence.items()
        )
        for mine, theirs in zip(one, other, strict=True)
    )


def test_it_learns_the_codes_and_supervised_attention_lies_on_their_signs(
    learned: Transformer,
) -> None:
    made = make_charts(20, seed=1)
    assert any(len(learned.item(one.text).pieces.chunks) > 1 for one in made)
    for reading, one in zip(read(learned, made), made, strict=True):
        assert np.flatnonzero(reading.scores > 0.5).tolist() == one.codes.tolist()
        for code, ((begin, end),) in one.evidence.items():
            weights = reading.evidence[code].by_word(len(one.text))
            assert weights[begin:end].sum() > 0.9
            assert weights.sum() <= 1 + 1e-6


@pytest.mark.parametrize("evidence", ["linear-tagger", "cnn-tagger"])
def test_taggers_mark_the_signs(evidence: str, fit: Fit) -> None:
    fitted = fit(make_charts(40), evidence=evidence, evidence_weight=0.5, epochs=20)
    made = make_charts(20, seed=1)
    right = said = total = 0
    for reading, one in zip(read(fitted, made), made, strict=True):
        for code, ((begin, end),) in one.evidence.items():
            tagged = reading.evidence[code].by_word(len(one.text)) >= 0.5
            right += int(tagged[begin:end].sum())
            said, total = said + int(tagged.sum()), total + int(end - begin)
    assert 2 * right / (said + total) > 0.6


def test_a_chart_is_read_alike_alone_and_among_others_and_in_groups_of_any_size(fit: Fit) -> None:
    fitted = fit(make_charts(8), epochs=1, evidence="cnn-tagger")
    made = [make_chart("short", ["rain"], [0]), *make_charts(6, seed=5)]
    together = read(fitted, made)
    alone = [read(fitted, [one])[0] for one in made]
    assert alike(together, alone, rtol=1e-4, atol=1e-6)
    assert alike(together, read(change(fitted, chunk_batch_size=1), made), rtol=1e-4, atol=1e-6)


def test_chunks_only_take_context_away(learned: Transformer) -> None:
    made = make_charts(6, seed=6)
    chunked = read(change(learned, chunk_size=12, chunk_overlap=6), made)
    for reading, one in zip(chunked, made, strict=True):
        assert np.flatnonzero(reading.scores > 0.5).tolist() == one.codes.tolist()
        for code, ((begin, end),) in one.evidence.items():
            assert reading.evidence[code].by_word(len(one.text))[begin:end].sum() > 0.8


def test_padding_is_nothing_to_the_encoder_and_to_attention(fit: Fit) -> None:
    fitted = fit(make_charts(8), epochs=1, evidence="supervised")
    network = fitted.network.eval()
    one, long = fitted.item(make_charts(1)[0].text), fitted.item(make_chart("l", FILLERS * 9).text)
    with torch.no_grad():
        alone = network.encode(batch := fitted.collate([one]), network.embed(batch.words))
        among = network.encode(batch := fitted.collate([one, long]), network.embed(batch.words))
        torch.testing.assert_close(network.logits(among)[:1], network.logits(alone))
        assert not among.hidden[0, len(one.words) :].any()


def test_some_codes_have_the_scores_they_have_among_all(fit: Fit) -> None:
    fitted = fit(make_charts(8), epochs=1)
    batch = fitted.collate([fitted.item(one.text) for one in make_charts(3)])
    codes = torch.tensor([2, 0])
    with torch.no_grad():
        encoded = fitted.encode(batch, fitted.embed(batch))
        every, some = fitted.network.logits(encoded), fitted.network.logits(encoded, codes)
    torch.testing.assert_close(some, every[:, codes])


def test_a_saved_scorer_needs_neither_the_model_nor_the_hub(
    fit: Fit, model: Path, labels: LabelSpace, tmp_path: Path
) -> None:
    original = tmp_path / "original"
    shutil.copytree(model, original)
    fitted = fit(make_charts(8), make_charts(4, seed=3), encoder=str(original), epochs=2)
    kept = tmp_path / "kept"
    kept.mkdir()
    fitted.save(kept)
    shutil.rmtree(original)
    files = {file.name for file in kept.iterdir()}
    assert files == {WEIGHTS, "config.json", "encoder.json", "tokenizer.json"}
    assert str(original) not in (kept / "config.json").read_text()
    again = Transformer.load(kept, Resources(labels), fitted.config)
    made = make_charts(5, seed=2)
    assert alike(read(fitted, made), read(again, made), rtol=0, atol=0)


@pytest.mark.parametrize("name", [WEIGHTS, pretrained.FILE, subwords.FILE])
@pytest.mark.parametrize("damage", [b"", b"{}", None])
def test_a_damaged_model_is_an_error_that_says_so(
    name: str, damage: bytes | None, fit: Fit, labels: LabelSpace, tmp_path: Path
) -> None:
    fitted = fit(make_charts(2), epochs=1)
    fitted.save(tmp_path)
    if damage is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(damage)
    with pytest.raises(AuscultError, match=r"train (the model )?again"):
        Transformer.load(tmp_path, Resources(labels), fitted.config)


def test_interrupted_and_started_again_it_ends_with_the_same_weights(
    fit: Fit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {"epochs": 3, "checkpoint_seconds": 0.0, "evidence": "supervised"}
    charts, dev = make_charts(14), make_charts(3, seed=4)
    whole = fit(charts, dev, **given)
    step, steps = torch.optim.AdamW.step, iter(range(6))  # an epoch has 4

    def stop(*what: Any, **named: Any) -> Any:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return step(*what, **named)

    with monkeypatch.context() as patch:
        patch.setattr(torch.optim.AdamW, "step", stop)
        with pytest.raises(KeyboardInterrupt):
            fit(charts, dev, directory=tmp_path, **given)
    broken = fit(charts, dev, directory=tmp_path, **given)
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, broken.network.state_dict()[name]), name


def test_what_shows_the_evidence_does_not_make_it_another_training(
    fit: Fit, tmp_path: Path
) -> None:
    fit(make_charts(4), epochs=1, directory=tmp_path)
    fit(make_charts(4), epochs=1, directory=tmp_path, explainer="attingrad")
    with pytest.raises(AuscultError, match="another training"):
        fit(make_charts(4), epochs=1, directory=tmp_path, chunk_size=20)


def test_tokenizing_reports_progress(fit: Fit) -> None:
    bars: list[tuple[str, int | None]] = []

    def listener(items: Any, what: str, total: int | None) -> Any:
        bars.append((what, total))
        return items

    with listening(listener):
        fit(make_charts(4), epochs=1)
    assert bars[0] == ("tokenizing", 4)


def test_half_precision_learns_about_the_same(fit: Fit) -> None:
    charts, made = make_charts(8), make_charts(4, seed=1)
    given: dict[str, Any] = {"epochs": 2, "learning_rate": 1e-3}
    full, half = fit(charts, **given), fit(charts, **given, precision="bf16")
    untrained = fit(charts, epochs=1, learning_rate=1e-12)
    scores = [
        np.stack([one.scores for one in read(some, made)]) for some in (full, half, untrained)
    ]
    assert 0 < np.abs(scores[0] - scores[1]).max() < 0.02
    assert np.abs(scores[0] - scores[2]).max() > 0.04


def test_gradient_checkpointing_saves_memory_and_changes_nothing(fit: Fit) -> None:
    plain, frugal = (fit(make_charts(4), epochs=1, gradient_checkpointing=on) for on in (0, 1))
    assert frugal.network.encoder.is_gradient_checkpointing
    for name, value in plain.network.state_dict().items():
        torch.testing.assert_close(value, frugal.network.state_dict()[name])


def test_words_that_the_tokenizer_drops_have_no_weight_and_do_no_harm(fit: Fit) -> None:
    evidence = {0: np.array([[0, 2]], np.int32)}
    dropped = make_chart("d", ["qq", "qq"], [0])
    dropped = Example(dropped.text, dropped.codes, evidence)
    partly = make_chart("p", ["qq", *SIGNS[1], "qq"], [1])
    # With nothing but such a chart there is nothing to learn from; among others it is left out.
    fitted = fit([dropped, *make_charts(4)], epochs=1, evidence="supervised")
    (nothing, something, none) = read(fitted, [dropped, partly, make_chart("e", [])])
    assert nothing.scores.tolist() == none.scores.tolist() == [0.0] * 3
    weights = something.evidence[1].by_word(4)
    assert (weights[[0, 3]] == 0).all()
    np.testing.assert_allclose(weights.sum(), 1, rtol=1e-5)
    with pytest.raises(AuscultError, match="finds no token in any training chart"):
        fit([dropped])


def test_a_model_of_it_points_into_the_notes_as_they_are_written(
    model: Path, tmp_path: Path
) -> None:
    code = Code("ICD-9-CM", "250.00")
    notes, annotations = [], []
    for at in range(30):
        text = f"BP 1{at}0/8{at}. \U0001f600 She " + "went home, " * (at % 7)
        name, split = f"{at}", "dev" if at % 5 == 0 else "train"
        if at % 2:
            begin = len(text)
            annotations.append(
                Annotation("ann", code, name, f"n{name}", (Span(begin, begin + 17),))
            )
            text += "DIABETES Mellitus"
        else:
            annotations.append(Annotation("ann", Code("ICD-9-CM", "401.9"), name))
        notes.append(Note(f"n{name}", name, text=text + "!", split=split))
    settings = {**SMALL, "encoder": str(model), "evidence": "supervised"}
    fit_model(Corpus.of(notes, annotations), "transformer", settings).save(tmp_path / "model")
    trained = Model.load(tmp_path / "model")
    note = Note("n", "c", text="\U0001f600\U0001f600 2019: She went home, diabetes mellitus, home.")
    (given,) = [one for one in trained.predict([note]) if one.code == code]
    assert [(note.text or "")[span.begin : span.end] for span in given.spans] == [
        "diabetes mellitus"
    ]


def test_a_directory_or_name_that_is_no_model_is_refused(
    fit: Fit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OptionError, match="There is no directory"):
        fit(make_charts(2), encoder=str(tmp_path / "nowhere"))
    with pytest.raises(OptionError, match="must have config"):
        fit(make_charts(2), encoder=str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(OptionError, match="neither a local directory nor available"):
        fit(make_charts(2), encoder="nobody/no-such-model")


def test_a_tokenizer_without_offsets_is_refused(fit: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SimpleNamespace(from_pretrained=lambda *_, **__: SimpleNamespace(is_fast=False))
    monkeypatch.setattr(pretrained, "AutoTokenizer", slow)
    with pytest.raises(OptionError, match="fast tokenizer"):
        fit(make_charts(2))


def test_a_model_that_also_writes_is_refused(fit: Fit, tmp_path: Path) -> None:
    T5Config(vocab_size=20).save_pretrained(str(tmp_path))
    with pytest.raises(OptionError, match="Choose an encoder"):
        fit(make_charts(2), encoder=str(tmp_path))


@pytest.mark.parametrize("kind", [GPT2Config, LlamaConfig])
def test_a_model_that_reads_only_to_the_left_is_refused(
    fit: Fit, tmp_path: Path, kind: Any
) -> None:
    kind(vocab_size=20).save_pretrained(str(tmp_path))
    with pytest.raises(OptionError, match="is not an encoder: it generates text"):
        fit(make_charts(2), encoder=str(tmp_path))


def test_damaged_weights_are_told_in_a_sentence(fit: Fit, model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(model, broken)
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(OptionError, match="is not a model that transformers can load"):
        fit(make_charts(2), encoder=str(broken))


def test_a_directory_without_weights_is_told_in_a_sentence(
    fit: Fit, model: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(model, bare, ignore=shutil.ignore_patterns("*.safetensors"))
    with pytest.raises(OptionError, match=r"it must have config.json, model.safetensors and tok"):
        fit(make_charts(2), encoder=str(bare))


def test_a_chunk_that_the_encoder_cannot_take_is_refused(fit: Fit) -> None:
    with pytest.raises(OptionError, match="at most 32 tokens"):
        fit(make_charts(2), chunk_size=33)


def test_roberta_counts_its_positions_from_behind_padding() -> None:
    sizes: dict[str, Any] = {
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "vocab_size": 9,
    }
    kind: Any = RobertaModel
    encoder = kind(RobertaConfig(**sizes, max_position_embeddings=34, pad_token_id=1))
    assert pretrained.longest_chunk(encoder) == 32
    with torch.no_grad():
        encoder(inputs_embeds=torch.zeros(1, 32, 8))
        with pytest.raises((IndexError, RuntimeError)):
            encoder(inputs_embeds=torch.zeros(1, 33, 8))
