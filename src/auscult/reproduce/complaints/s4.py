"""The supplement, S4: the classifier applied to authentic and synthetic complaints."""

from __future__ import annotations

from auscult.evaluate.text import evaluate_synthetic
from auscult.experiment.classifier_gap import classifier_gap, fit_classifier
from auscult.models.configuring import configure
from auscult.reproduce.complaints.visits import NEEDS, STAND_IN, values, visits, written
from auscult.reproduce.contract import (
    Basis,
    Claim,
    Effect,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
)
from auscult.reproduce.work import Workspace

_NETWORK = "Bidirectional GRU"
_AUTHENTIC, _SYNTHETIC = "Accuracy · authentic texts", "Accuracy · synthetic texts"


def run(work: Workspace) -> ReproductionOutcome:
    """Report the classifier's hyperparameters, train it, and apply it to both kinds of text."""
    settings = configure("bigru", dict(work.scale.classifier)).model_dump()
    basis = Basis.SETTING
    there = visits(work)
    numbers = {
        f"{_NETWORK} · word embedding dimensions": Measured(settings["embedding_dim"], basis),
        f"{_NETWORK} · GRU dimensions": Measured(settings["hidden_size"], basis),
        f"{_NETWORK} · mini-batch": Measured(settings["batch_size"], basis),
        f"{_NETWORK} · patience, epochs": Measured(settings["patience"], basis),
        f"{_NETWORK} · learning rate": Measured(settings["learning_rate"], basis),
        f"{_NETWORK} · codes": Measured(values(there), there.used.basis),
    }
    made = written(work, there)
    found = evaluate_synthetic(there.corpus, made, bootstrap=0)
    judges = fit_classifier(there.corpus, there.variable, config=dict(work.scale.classifier))
    gap = classifier_gap(
        judges, found.records, found.authentic, found.synthetic, there.variable,
        times=work.scale.resamples,
    )  # fmt: skip
    numbers[_AUTHENTIC] = Measured.of(gap.authentic["accuracy"], there.used.basis)
    numbers[_SYNTHETIC] = Measured.of(gap.synthetic["accuracy"], there.used.basis)
    remark = (
        f"Here {there.variable} is told from texts: authentic {gap.authentic['accuracy']}, "
        f"synthetic {gap.synthetic['accuracy']}, of {values(there):,} values."
    )
    return ReproductionOutcome(numbers, (there.used,), (remark,), seeds=(0,))


REPRODUCTION = Reproduction(
    name="complaints-s4",
    paper="complaints",
    label="S4",
    title="The chief complaint classifier",
    needs=NEEDS,
    stand_in=STAND_IN,
    options=("neiss",),
    calls=("auscult generate evaluate visits written --classify ccs --json",),
    run=run,
    published=(
        Printed(_NETWORK, "word embedding dimensions", 200, 0.0, ".0f"),
        Printed(_NETWORK, "GRU dimensions", 100, 0.0, ".0f"),
        Printed(_NETWORK, "mini-batch", 128, 0.0, ".0f"),
        Printed(_NETWORK, "patience, epochs", 2, 0.0, ".0f"),
        Printed(_NETWORK, "learning rate", 0.001, 0.0, "g"),
        Printed(_NETWORK, "codes", 284, 0.0, ".0f"),
        Printed(_NETWORK, "epochs until it stopped", 15, 3.0, ".0f"),
    ),
    claims=(
        Claim(
            "A classifier trained on authentic texts works on synthetic ones.",
            (Effect(((_SYNTHETIC, 1.0), (_AUTHENTIC, -0.5))),),
        ),
    ),
    remark="The supplement prints the hyperparameters, which are Auscult's defaults; the "
    "accuracies are in the main paper, which is not among the sources used here.",
)
