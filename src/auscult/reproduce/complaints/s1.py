"""The supplement, S1: the generator's architecture."""

from __future__ import annotations

from typing import Any

from auscult.generators.fitting import configure
from auscult.reproduce.complaints.visits import NEEDS, STAND_IN, generator, to_write, visits
from auscult.reproduce.contract import Basis, Measured, Printed, Reproduction, ReproductionOutcome
from auscult.reproduce.work import Workspace

_ENCODER, _DECODER, _PRETRAINING = "Encoder", "LSTM", "Autoencoder"


def run(work: Workspace) -> ReproductionOutcome:
    """Train the text generator and report the sizes of its network."""
    there = visits(work)
    made = generator(work, there)
    network: Any = made.architecture
    network = network.network
    standard = configure("lstm", dict(work.scale.generator)).model_dump()
    basis = Basis.SETTING
    source = made.about.source
    return ReproductionOutcome(
        {
            f"{_ENCODER} · record dimensions": Measured(network.reader.bag.embedding_dim, basis),
            f"{_DECODER} · word embedding dimensions": Measured(
                network.embedding.embedding_dim, basis
            ),
            f"{_DECODER} · LSTM cell dimensions": Measured(network.lstm.hidden_size, basis),
            f"{_DECODER} · layers": Measured(network.lstm.num_layers, basis),
            f"{_PRETRAINING} · mini-batch": Measured(standard["autoencoder_batch_size"], basis),
            f"{_PRETRAINING} · epochs": Measured(standard["autoencoder_epochs"], basis),
        },
        (there.used,),
        (
            f"Trained on {source.records:,} visits, with early stopping on {source.dev_records:,} "
            "others.",
        ),
        seeds=(0,),
        commands=to_write(work, there),
    )


REPRODUCTION = Reproduction(
    name="complaints-s1",
    paper="complaints",
    label="S1",
    title="The text generator: an LSTM conditioned once on the record",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("neiss",),
    calls=("auscult generate train visits generator --generator lstm --set record_at=once",),
    run=run,
    published=(
        Printed(_ENCODER, "record dimensions", 128, 0.0, ".0f"),
        Printed(_DECODER, "word embedding dimensions", 128, 0.0, ".0f"),
        Printed(_DECODER, "LSTM cell dimensions", 128, 0.0, ".0f"),
        Printed(_DECODER, "layers", 1, 0.0, ".0f"),
        Printed(_PRETRAINING, "mini-batch", 256, 0.0, ".0f"),
        Printed(_PRETRAINING, "epochs", 15, 0.0, ".0f"),
    ),
    remark="The supplement prints the network sizes; compared are those of the trained generator.",
)
