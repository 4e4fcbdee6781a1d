"""A network that is asked word by word says what it says of the whole text at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from auscult.generators import architecture
from auscult.generators.batching import record_batch
from auscult.generators.lstm import (
    Autoencoder,
    LstmConfiguration,
    LstmGenerator,
    RecordReader,
)
from auscult.generators.neural import (
    GeneratorNetwork,
    NeuralGenerator,
    NeuralGeneratorConfiguration,
)

PLACES, WORDS, LONGEST = 9, 6, 7
NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm, every": ("lstm", {"hidden_size": 8, "record_at": "every"}),
    "lstm, once": ("lstm", {"hidden_size": 8, "record_at": "once"}),
    "lstm, rectified": ("lstm", {"hidden_size": 8, "activation": "relu"}),
    "transformer": ("transformer", {"hidden_size": 8, "num_heads": 2, "num_layers": 2}),
}


def network(name: str) -> GeneratorNetwork:
    kind, config = NETWORKS[name]
    learner: Any = architecture(kind)
    assert issubclass(learner, NeuralGenerator)
    torch.manual_seed(0)
    made: GeneratorNetwork = learner.make(PLACES, WORDS, LONGEST, learner.config_type(**config))
    for each in made.parameters():
        torch.nn.init.normal_(each, std=0.5)
    return made.double().eval()


def records(rows: list[list[int]]) -> csr_array:
    dense = np.zeros((len(rows), PLACES), np.float32)
    for row, places in enumerate(rows):
        dense[row, places] = 1
    return csr_array(dense)


@pytest.mark.parametrize("name", NETWORKS)
def test_word_by_word_the_scores_are_those_of_the_whole_text(name: str) -> None:
    made = network(name)
    batch = record_batch(records([[0, 3], [1, 2, 5, 8], [4]]))
    words = torch.randint(1, WORDS + 2, (3, LONGEST))
    words[:, 0] = made.begin
    with torch.inference_mode():
        whole = made.logits(batch, words)
        state = made.start(batch)
        for at in range(LONGEST):
            scores, state = made.step(words[:, at], state)
            torch.testing.assert_close(scores, whole[:, at])


@pytest.mark.parametrize("name", NETWORKS)
def test_scores_depend_on_the_record_and_on_earlier_words_only(name: str) -> None:
    made = network(name)
    one, other = (record_batch(records([places])) for places in ([0, 3], [0, 4]))
    words = torch.tensor([[made.begin, 2, 3, 4, 5]])
    changed = words.clone()
    changed[0, 3] = 1
    with torch.inference_mode():
        base, elsewhere, later = (
            made.logits(*given) for given in ((one, words), (other, words), (one, changed))
        )
    assert (base - elsewhere).abs().amax(dim=2).min() > 1e-4, "the last word too"
    torch.testing.assert_close(base[:, :3], later[:, :3])
    assert (base[:, 3:] - later[:, 3:]).abs().amax(dim=2).min() > 1e-4


@pytest.mark.parametrize(
    ("settings", "is_rectified"),
    [
        ({}, False),
        ({"activation": "relu"}, True),
        ({"autoencoder_activation": "relu"}, True),
        ({"activation": "relu", "autoencoder_activation": "none"}, False),
    ],
)
def test_the_autoencoder_has_the_activation_of_the_generator_unless_told_otherwise(
    settings: dict[str, str], *, is_rectified: bool
) -> None:
    """Its loss, by the definition: a dense layer, the activation, a sigmoid, cross-entropy."""
    config = LstmConfiguration.model_validate({"hidden_size": 8, **settings})
    torch.manual_seed(1)
    reader = RecordReader(PLACES, config.hidden_size)
    made = Autoencoder(reader, config.pretrained_activation)
    vectors = records([[0, 3], [1, 2, 5, 8], [4]])
    given = vectors.todense()
    dense = given @ reader.bag.weight.detach().numpy()
    assert (dense < 0).any()
    if is_rectified:
        dense = np.maximum(dense, 0)
    logits = dense @ made.back.weight.detach().numpy().T + made.back.bias.detach().numpy()
    shares = 1 / (1 + np.exp(-logits))
    lost = -np.where(given > 0, np.log(shares), np.log(1 - shares)).mean()
    assert made(record_batch(vectors)).item() == pytest.approx(lost, abs=1e-6)


def test_pretraining_has_the_activation_of_the_generator() -> None:
    vectors = records([[0, 3], [1, 2, 5, 8], [4]] * 20)

    def pretrained(**settings: Any) -> torch.Tensor:
        config = LstmConfiguration(hidden_size=8, autoencoder_epochs=2, **settings)
        torch.manual_seed(0)
        made = LstmGenerator.make(PLACES, WORDS, LONGEST, config)
        LstmGenerator.pretrain(made, vectors, config, seed=0, directory=None)
        return made.reader.bag.weight.detach()

    linear = pretrained(autoencoder_activation="none")
    torch.testing.assert_close(pretrained(), linear)
    rectified = pretrained(activation="relu")
    assert (rectified - linear).abs().max() > 1e-3
    torch.testing.assert_close(pretrained(autoencoder_activation="relu"), rectified)


def test_few_texts_are_seen_in_more_epochs_and_many_are_not() -> None:
    config = NeuralGeneratorConfiguration(batch_size=10, epochs=5, patience=2, min_steps=100)
    few = config.for_texts(95)
    assert (few.epochs, few.patience) == (10, 4)  # ten steps an epoch
    assert config.for_texts(200) == config
