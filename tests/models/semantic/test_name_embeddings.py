"""Embeddings of a vocabulary: made, resumed, refused, and what the linker finds with them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.models.neural.tiny import save_model

from auscult.cli.main import auscult
from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, AuscultError, Code, MissingExtraError, Note, OptionError, Span
from auscult.corpus.corpus import Corpus
from auscult.models.entities.gold_mentions import MarkedNote, marks_on
from auscult.models.entities.linker.candidates import CandidateFinder, LinkCandidates, NameSearch
from auscult.models.entities.mention_statistics import MentionStatistics
from auscult.models.entities.name_index import NameIndex
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.models.semantic import embedding_training, name_embeddings
from auscult.models.semantic.contrastive import PairBatches
from auscult.models.semantic.embedding_training import EmbeddingConfiguration, embed_vocabulary
from auscult.models.semantic.name_embeddings import FOLDER, NameEmbeddings
from auscult.models.semantic.name_encoder import NameEncoder

NAMES = {
    "D01": ("chickenpox", ()),
    "D02": ("measles", ("rubeola",)),
    "D03": ("heart attack", ("myocardial infarction",)),
    "D04": ("stroke", ("cerebral infarction",)),
    "D05": ("nosebleed", ("epistaxis",)),
    "D06": ("hair loss", ("alopecia",)),
    "D07": ("kidney stone", ("nephrolithiasis",)),
    "D08": ("shingles", ("herpes zoster",)),
}
# For the tiny encoder, which knows letters and few words, and takes no more than 14 of them.
PAIRS = "flu/grippe bug/germ rash/hives ague/chill gout/podagra wen/cyst stye/sty scab/crust"
SHORT = {
    f"D{at:02}": (one, (other,))
    for at, (one, other) in enumerate(pair.split("/") for pair in PAIRS.split())
}


def built(
    place: Path, more: str = "", names: Mapping[str, tuple[str, tuple[str, ...]]] = NAMES
) -> Vocabulary:
    concepts = [
        Concept(Code("MeSH", value), name + more, tuple(map(Synonym, synonyms)), ("Disease",))
        for value, (name, synonyms) in names.items()
    ]
    return Vocabulary.build(concepts, place, overwrite=True)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """A vocabulary embedded by MiniLM as it is."""
    made = built(tmp_path_factory.mktemp("pretrained") / "diseases")
    embed_vocabulary(made, EmbeddingConfiguration(epochs=0))
    return made


def small(tiny: Path, **more: Any) -> EmbeddingConfiguration:
    return EmbeddingConfiguration(encoder=str(tiny), batch_size=4, threads=1, **more)


def test_the_nearest_names_mean_the_same(pretrained: Vocabulary) -> None:
    made = NameEmbeddings.of(pretrained)

    def nearest(text: str) -> str:
        [(term, cosine)] = made.nearest(text, 1)
        assert 0.3 < cosine < 1
        return pretrained.code_at(int(pretrained.concepts_of(np.array([term]))[0])).value

    assert nearest("varicella") == "D01"
    assert nearest("cardiac infarct") == "D03"
    assert nearest("bleeding from the nose") == "D05"
    assert nearest("renal calculi") == "D07"
    numbers = {pretrained.code_at(n).value: n for n in range(len(pretrained))}
    same, other = (best for best, _ in made.likeness("EPISTAXIS", [numbers["D05"], numbers["D02"]]))
    assert same > 0.99 > 0.6 > other


def test_fine_tuning_brings_synonyms_together(tmp_path: Path, tiny: Path) -> None:
    vocabulary = built(tmp_path / "diseases", names=SHORT)

    def apart(epochs: int) -> float:
        made = embed_vocabulary(
            vocabulary, small(tiny, epochs=epochs, learning_rate=3e-3), overwrite=True
        )
        vectors, concepts = made.vectors.astype(float), vocabulary.concepts_of(made.terms)
        cosines, same = vectors @ vectors.T, concepts[:, None] == concepts
        np.fill_diagonal(same, val=False)
        return float(cosines[same].mean() - cosines[~same & ~np.eye(len(same), dtype=bool)].mean())

    assert apart(30) > apart(0) + 0.2


def test_killed_and_resumed_the_vectors_are_the_same(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small(tiny, epochs=3, checkpoint_seconds=0)
    whole = embed_vocabulary(built(tmp_path / "whole", names=SHORT), config, seed=3).manifest.digest
    vocabulary = built(tmp_path / "killed", names=SHORT)
    real, taken = PairBatches.__call__, []

    def dies(self: Any, places: Any) -> Any:
        taken.append(places)
        if len(taken) == 4:
            raise KeyboardInterrupt
        return real(self, places)

    with monkeypatch.context() as patched:
        patched.setattr(PairBatches, "__call__", dies)
        with pytest.raises(KeyboardInterrupt):
            embed_vocabulary(vocabulary, config, seed=3)
        assert not (vocabulary.path / FOLDER).exists()
        # Eight pairs in batches of four, three times: of six steps three were done.
        assert embed_vocabulary(vocabulary, config, seed=3).manifest.digest == whole
        assert len(taken) == 4 + 3
        again = embed_vocabulary(vocabulary, config, seed=4, overwrite=True)
        assert len(taken) == 4 + 3 + 6
    assert again.manifest.digest != whole


def kill_at_the_third_part(
    vocabulary: Vocabulary, config: EmbeddingConfiguration, monkeypatch: pytest.MonkeyPatch
) -> list[int]:
    """Kill the embedding of sixteen names in parts of six; the sizes of the parts embedded."""
    monkeypatch.setattr(embedding_training, "_PART", 6)
    real: Any = NameEncoder.embed
    sizes: list[int] = []

    def dies(self: NameEncoder, names: Sequence[str], **how: Any) -> Any:
        sizes.append(len(names))
        if len(sizes) == 3:
            raise KeyboardInterrupt
        return real(self, names, **how)

    monkeypatch.setattr(NameEncoder, "embed", dies)
    with pytest.raises(KeyboardInterrupt):
        embed_vocabulary(vocabulary, config)
    assert sizes == [6, 6, 4]
    return sizes


def test_what_was_embedded_before_a_kill_is_not_embedded_again(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small(tiny, epochs=0)
    whole = embed_vocabulary(built(tmp_path / "whole", names=SHORT), config).manifest.digest
    vocabulary = built(tmp_path / "killed", names=SHORT)
    sizes = kill_at_the_third_part(vocabulary, config, monkeypatch)
    assert embed_vocabulary(vocabulary, config).manifest.digest == whole
    assert sizes == [6, 6, 4, 4]


def test_what_was_embedded_in_another_precision_is_not_taken_for_the_rest(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = small(tiny, epochs=0, precision="bf16")
    whole = embed_vocabulary(built(tmp_path / "whole", names=SHORT), half).manifest
    vocabulary = built(tmp_path / "killed", names=SHORT)
    kill_at_the_third_part(vocabulary, small(tiny, epochs=0, precision="32"), monkeypatch)
    again = embed_vocabulary(vocabulary, half).manifest
    assert again.digest == whole.digest
    assert again.settings["precision"] == "bf16"
    full = embed_vocabulary(vocabulary, small(tiny, epochs=0, precision="32"), overwrite=True)
    assert full.manifest.settings["precision"] == "32"
    assert full.manifest.digest != whole.digest
    usual = embed_vocabulary(vocabulary, small(tiny, epochs=0), overwrite=True).manifest
    assert usual.settings["precision"] in ("32", "bf16")


def linked(model: Model, text: str, said: str) -> list[str]:
    at = text.index(said)
    note = Note("x", "x", text=text)
    found = model.predict([note], spans={"x": [(Span(at, at + len(said)),)]})
    return [a.code.value for a in found]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    notes, marks = [], []
    said = [
        ("measles", "D02"), ("stroke", "D04"), ("alopecia", "D06"), ("herpes zoster", "D08"),
        ("losing hair", "D06"), ("infarction of the brain", "D04"),
    ]  # fmt: skip
    for at in range(36):
        name, value = said[at % len(said)]
        notes.append(Note(f"n{at}", f"n{at}", text=f"Seen for {name}.", split="train"))
        span = (Span(9, 9 + len(name)),)
        marks.append(Annotation("gold", Code("MeSH", value), f"n{at}", f"n{at}", span))
    return Corpus.of(notes, marks)


def test_the_linker_finds_a_concept_without_a_letter_in_common(
    corpus: Corpus, pretrained: Vocabulary, tmp_path: Path
) -> None:
    # The ranker would learn from the six strings here that nothing new is ever said.
    settings = {"vocabulary": str(pretrained.path), "ablate": ["ranker"]}
    plain = fit(corpus, "linker", settings)
    made = fit(corpus, "linker", {**settings, "embeddings": True})
    asked = ("Seen for renal calculi.", "renal calculi")
    assert linked(plain, *asked) != ["D07"]
    assert linked(made, *asked) == ["D07"]
    made.save(tmp_path / "model")
    again = Model.load(tmp_path / "model")
    assert linked(again, *asked) == ["D07"]


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Vocabulary:
    """A vocabulary embedded by the tiny encoder as it is."""
    made = built(tmp_path_factory.mktemp("embedded") / "diseases")
    embed_vocabulary(made, small(tiny, epochs=0))
    return made


def test_charts_without_mentions_do_no_harm(embedded: Vocabulary) -> None:
    assert NameEmbeddings.of(embedded).embed([]).shape == (0, 32)
    texts = ["Seen for measles and stroke.", *["Seen for nothing."] * 5]
    notes = [Note(f"n{at}", f"n{at}", text=text, split="train") for at, text in enumerate(texts)]
    marks = [
        Annotation("gold", Code("MeSH", value), "n0", "n0", (Span(begin, end),))
        for value, begin, end in (("D02", 9, 16), ("D04", 21, 27))
    ]
    settings = {"vocabulary": str(embedded.path), "embeddings": True, "charts": "all"}
    model = fit(Corpus.of(notes, marks), "linker", settings)
    assert linked(model, texts[0], "measles") == ["D02"]


def test_what_a_string_is_embedded_with_changes_nothing(
    embedded: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Seen for mumps."
    marked = MarkedNote(Note("n", "n", text=text), marks_on(text, [(Span(9, 14),)]))
    # Strings with as good as the same vector, so that the last digits would order them.
    learned = []
    for at, said in enumerate(f"rash {letter}" for letter in "abcdefghijkl"):
        span = (Span(0, len(said)),)
        note = Note(f"l{at}", f"l{at}", text=said)
        learned.append(MarkedNote(note, marks_on(said, {span: [Code("MeSH", f"D{at:02}")]})))
    knowledge = MentionStatistics.fit(learned)
    exact, dice = np.ones(32) / np.sqrt(32), np.random.default_rng(0)

    def nearly(_self: NameEmbeddings, texts: Sequence[str]) -> Any:
        noise = dice.normal(scale=1e-7, size=(len(texts), 32))
        return (exact + noise).astype(np.float32)

    monkeypatch.setattr(NameEmbeddings, "embed", nearly)

    def found() -> LinkCandidates:
        search = NameSearch(NameIndex.of(embedded, ()), embeddings=NameEmbeddings.of(embedded))
        (one,) = CandidateFinder(search, knowledge, nothing=Code("MeSH", "none")).find(marked)
        return one

    first, again = found(), found()
    assert first.codes == again.codes
    assert (first.rows == again.rows).all()


def test_other_embeddings_than_those_trained_with_are_refused(
    corpus: Corpus, tmp_path: Path, tiny: Path
) -> None:
    vocabulary = built(tmp_path / "diseases")
    embed_vocabulary(vocabulary, small(tiny, epochs=0))
    settings = {"vocabulary": str(vocabulary.path), "embeddings": True}
    fit(corpus, "linker", settings).save(tmp_path / "model")
    embed_vocabulary(vocabulary, small(tiny, epochs=2), overwrite=True)
    with pytest.raises(OptionError, match="not those the model was trained with"):
        Model.load(tmp_path / "model")
    shutil.rmtree(vocabulary.path / FOLDER)
    with pytest.raises(OptionError, match="Make them with: auscult vocab embed"):
        Model.load(tmp_path / "model")
    with pytest.raises(OptionError, match="has no embeddings"):
        fit(corpus, "linker", settings)


def test_embeddings_of_another_vocabulary_or_damaged_are_refused(
    tmp_path: Path, tiny: Path
) -> None:
    first, second = built(tmp_path / "first"), built(tmp_path / "second", " disease")
    embed_vocabulary(first, small(tiny, epochs=0))
    shutil.copytree(first.path / FOLDER, second.path / FOLDER)
    with pytest.raises(OptionError, match="of another vocabulary"):
        NameEmbeddings.of(second)
    file = first.path / FOLDER / name_embeddings.VECTORS
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(AuscultError, match="incomplete or damaged"):
        NameEmbeddings.of(first)


@pytest.mark.parametrize("damage", [b"", None])
@pytest.mark.parametrize(
    "name", ["weights.safetensors", "config.json", "tokenizer.json", "encoder.json"]
)
def test_a_damaged_encoder_is_told_with_what_to_do(
    name: str, damage: bytes | None, embedded: Vocabulary, tmp_path: Path
) -> None:
    shutil.copytree(embedded.path, tmp_path / "diseases")
    vocabulary = Vocabulary.open(tmp_path / "diseases")
    file = vocabulary.path / FOLDER / name
    if damage is None:
        file.unlink()
        with pytest.raises(AuscultError, match=r"damaged.*auscult vocab embed .*diseases --over"):
            NameEmbeddings.of(vocabulary)
    else:
        file.write_bytes(damage)
        made = NameEmbeddings.of(vocabulary)
        with pytest.raises(AuscultError, match=r"damaged.*auscult vocab embed .*diseases --over"):
            made.embed(["measles"])


def test_what_is_missing_is_said(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocabulary = built(tmp_path / "diseases")
    with pytest.raises(OptionError, match="There is no directory"):
        embed_vocabulary(vocabulary, EmbeddingConfiguration(encoder=str(tmp_path / "none")))
    (tmp_path / "bare").mkdir()
    shutil.copy(tiny / "config.json", tmp_path / "bare")
    with pytest.raises(OptionError, match="must have"):
        embed_vocabulary(vocabulary, EmbeddingConfiguration(encoder=str(tmp_path / "bare")))
    embed_vocabulary(vocabulary, small(tiny, epochs=0))
    with pytest.raises(OptionError, match="exists already"):
        embed_vocabulary(vocabulary, small(tiny, epochs=0))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"auscult\[semantic\]"):
        NameEmbeddings.of(vocabulary)


def test_the_command_embeds_some_types(tmp_path: Path, tiny: Path) -> None:
    concepts = [
        Concept(Code("MeSH", f"D{at}"), name, (), (kind,))
        for at, (name, kind) in enumerate([("measles", "Disease"), ("table", "Thing")])
    ]
    place = Vocabulary.build(concepts, tmp_path / "mixed").path
    args = ["vocab", "embed", str(place), "--semantic-type", "Disease", "--set", f"encoder={tiny}"]
    done = CliRunner().invoke(auscult, [*args, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    made = NameEmbeddings.of(Vocabulary.open(place))
    assert [made.vocabulary.synonym_at(term).text for term in made.terms.tolist()] == ["measles"]
    wrong = CliRunner().invoke(auscult, [*args, "--set", "epoch=3"])
    assert "Did you mean epochs?" in str(wrong.exception)
