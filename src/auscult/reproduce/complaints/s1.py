"""The supplement, S1: the writer's architecture."""

from __future__ import annotations

from typing import Any

from auscult.reproduce.complaints.visits import NEEDS, STAND_IN, visits, writer
from auscult.reproduce.contract import Basis, Found, Measured, Printed, Reproduction
from auscult.reproduce.work import Work
from auscult.writers.fitting import configure

_ENCODER, _DECODER, _PRETRAINING = "Encoder", "LSTM", "Autoencoder"


def run(work: Work) -> Found:
    """Learn the writer, and read its sizes off the network."""
    there = visits(work)
    made = writer(work, there)
    network: Any = made.pen
    network = network.network
    standard = configure("lstm", {}).model_dump()
    basis = Basis.PAPER
    source = made.about.source
    return Found(
        {
            f"{_ENCODER} · dimensions of a record": Measured(
                network.reader.bag.embedding_dim, basis
            ),
            f"{_DECODER} · dimensions of a word": Measured(network.embedding.embedding_dim, basis),
            f"{_DECODER} · dimensions of the cell": Measured(network.lstm.hidden_size, basis),
            f"{_DECODER} · layers": Measured(network.lstm.num_layers, basis),
            f"{_PRETRAINING} · mini-batch": Measured(standard["autoencoder_batch"], basis),
            f"{_PRETRAINING} · epochs": Measured(standard["autoencoder_epochs"], basis),
        },
        (there.used,),
        (f"Learnt from {source.records:,} visits, stopped by {source.dev_records:,} others.",),
        seeds=(0,),
    )


REPRODUCTION = Reproduction(
    name="complaints-s1",
    paper="complaints",
    label="S1",
    title="The writer: a record shown once to an LSTM",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("neiss",),
    calls=("auscult write train visits writer --writer lstm --set record_at=once",),
    run=run,
    published=(
        Printed(_ENCODER, "dimensions of a record", 128, 0.0, ".0f"),
        Printed(_DECODER, "dimensions of a word", 128, 0.0, ".0f"),
        Printed(_DECODER, "dimensions of the cell", 128, 0.0, ".0f"),
        Printed(_DECODER, "layers", 1, 0.0, ".0f"),
        Printed(_PRETRAINING, "mini-batch", 256, 0.0, ".0f"),
        Printed(_PRETRAINING, "epochs", 15, 0.0, ".0f"),
    ),
    remark="The supplement prints sizes; they are those of the writer that was learnt.",
)
