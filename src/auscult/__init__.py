"""Auscult: medical coding and clinical entity annotation, with evidence and honest evaluation.

>>> import auscult
>>> corpus = auscult.Corpus.of(
...     [auscult.Note("n1", "c1", text="Acute renal failure.")],
...     [auscult.Annotation("gold", auscult.Code("ICD-10-CM", "N17.9"), "c1")],
... )
>>> float(auscult.evaluate_codes(corpus, corpus, bootstrap=0).metrics["micro_f1"])
1.0

What the commands do is here as functions, and the values they work with. Names are imported when
they are first used, so that `import auscult` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from auscult.core import Annotation, AuscultError, Code, Metric, Note, Span
from auscult.core.version import __version__

if TYPE_CHECKING:
    from auscult.agreement.majority import majority as majority
    from auscult.api import agreement as agreement
    from auscult.api import audit as audit
    from auscult.api import evaluate_codes as evaluate_codes
    from auscult.api import evaluate_entities as evaluate_entities
    from auscult.api import evaluate_evidence as evaluate_evidence
    from auscult.api import read_corpus as read_corpus
    from auscult.api import split_corpus as split_corpus
    from auscult.codes import describe as describe
    from auscult.codes.vocabulary import Vocabulary as Vocabulary
    from auscult.corpus import Corpus as Corpus
    from auscult.corpus.code_rows import code_rows as code_rows
    from auscult.corpus.documents import read_documents as read_documents
    from auscult.deid.run import deidentify as deidentify
    from auscult.evaluate.text.synthetic import evaluate_synthetic as evaluate_synthetic
    from auscult.experiment.comparing import compare as compare
    from auscult.generators.fitting import fit_generator as fit_generator
    from auscult.generators.generator import TextGenerator as TextGenerator
    from auscult.generators.generator import load_generator as load_generator
    from auscult.generators.synthetic_corpus import generate as generate
    from auscult.models.choosing import choose_model as choose_model
    from auscult.models.code_notes import code_notes as code_notes
    from auscult.models.fitting import fit as fit
    from auscult.models.loading import load_model as load_model
    from auscult.models.model import Model as Model
    from auscult.models.pretraining.pretrain import pretrain as pretrain
    from auscult.models.training import train as train
    from auscult.models.training import train_runs as train_runs
    from auscult.models.verify import Verifier as Verifier
    from auscult.models.verify import verify as verify
    from auscult.report.code_files import write_codes as write_codes
    from auscult.synth.hospital import make_hospital as make_hospital

_LAZY = {
    "Corpus": "corpus",
    "Model": "models.model",
    "TextGenerator": "generators.generator",
    "Verifier": "models.verify",
    "Vocabulary": "codes.vocabulary",
    "agreement": "api",
    "audit": "api",
    "choose_model": "models.choosing",
    "code_notes": "models.code_notes",
    "code_rows": "corpus.code_rows",
    "compare": "experiment.comparing",
    "deidentify": "deid.run",
    "describe": "codes",
    "evaluate_codes": "api",
    "evaluate_entities": "api",
    "evaluate_evidence": "api",
    "evaluate_synthetic": "evaluate.text.synthetic",
    "fit": "models.fitting",
    "fit_generator": "generators.fitting",
    "generate": "generators.synthetic_corpus",
    "load_generator": "generators.generator",
    "load_model": "models.loading",
    "majority": "agreement.majority",
    "make_hospital": "synth.hospital",
    "pretrain": "models.pretraining.pretrain",
    "read_corpus": "api",
    "read_documents": "corpus.documents",
    "split_corpus": "api",
    "train": "models.training",
    "train_runs": "models.training",
    "verify": "models.verify",
    "write_codes": "report.code_files",
}
"""Public names, and the module of each."""

__all__ = [
    "Annotation",
    "AuscultError",
    "Code",
    "Corpus",
    "Metric",
    "Model",
    "Note",
    "Span",
    "TextGenerator",
    "Verifier",
    "Vocabulary",
    "__version__",
    "agreement",
    "audit",
    "choose_model",
    "code_notes",
    "code_rows",
    "compare",
    "deidentify",
    "describe",
    "evaluate_codes",
    "evaluate_entities",
    "evaluate_evidence",
    "evaluate_synthetic",
    "fit",
    "fit_generator",
    "generate",
    "load_generator",
    "load_model",
    "majority",
    "make_hospital",
    "pretrain",
    "read_corpus",
    "read_documents",
    "split_corpus",
    "train",
    "train_runs",
    "verify",
    "write_codes",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"auscult.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'auscult' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
