"""Embeddings for a vocabulary: fine-tune an encoder on its synonyms, then embed its names.

Killed at any moment and started again, it goes on where it was.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import Field

from auscult.codes.filters import TermFilter
from auscult.codes.vocabulary import Vocabulary
from auscult.core import OptionError
from auscult.core.progress import track
from auscult.core.storage import check_target, publish
from auscult.core.version import __version__
from auscult.learning.checkpoint import FILE as CHECKPOINT
from auscult.learning.checkpoint import Checkpoint
from auscult.learning.checkpoint_directory import checkpointed
from auscult.learning.devices import find_device, quick_precision, threads
from auscult.learning.settings import RUNNING
from auscult.learning.training import train
from auscult.learning.training_configuration import TrainingConfiguration
from auscult.models.neural.encoder_source import MINILM
from auscult.models.semantic.contrastive import (
    PairBatches,
    SynonymTraining,
    near_concepts,
    synonym_pairs,
)
from auscult.models.semantic.name_embeddings import (
    FOLDER,
    MANIFEST,
    TERMS,
    VECTORS,
    EmbeddingsManifest,
    NameEmbeddings,
    require_libraries,
)
from auscult.models.semantic.name_encoder import NameEncoder, Precision
from auscult.models.semantic.vector_index import FILE as GRAPH
from auscult.models.semantic.vector_index import Halves, write_graph

_PART = 16_384
"""Number of names embedded between two saves."""


class EmbeddingConfiguration(TrainingConfiguration):
    """Settings of the encoder and its fine-tuning."""

    encoder: str = Field(
        MINILM,
        description="Pretrained encoder: a directory, a name on the Hugging Face hub, or minilm.",
        min_length=1,
    )
    pairs_per_concept: int = Field(
        1, ge=1, description="Maximum number of synonym pairs per concept in an epoch."
    )
    max_concepts: int = Field(
        16_000, ge=2, description="Maximum number of concepts to fine-tune on, chosen at random."
    )
    precision: Precision = Field(
        "auto",
        description="Floating-point precision: 32 bits, bf16, or auto: bf16 on CPUs and GPUs that "
        "support it, else 32 bits. Queries are always embedded in 32 bits.",
    )
    batch_size: int = Field(96, ge=2, description="Number of synonym pairs in a batch.")
    epochs: int = Field(
        1, ge=0, description="Number of epochs; with 0, the encoder is not fine-tuned."
    )
    learning_rate: float = Field(
        2e-4, gt=0, description="Peak learning rate (`lr_scheduler_type` sets its decay)."
    )


def embed_vocabulary(
    vocabulary: Vocabulary,
    config: EmbeddingConfiguration | None = None,
    *,
    types: Sequence[str] = (),
    seed: int = 0,
    overwrite: bool = False,
) -> NameEmbeddings:
    """Embed the names of a vocabulary, or only those of some semantic types.

    The encoder is first fine-tuned on the vocabulary's synonyms. The embeddings are written into
    the vocabulary's folder.
    """
    config = config or EmbeddingConfiguration()
    out = vocabulary.path / FOLDER
    check_target(out, MANIFEST, "folder of embeddings", overwrite=overwrite)
    terms = _terms(vocabulary, types)
    require_libraries(len(terms))
    texts = [vocabulary.synonym_at(term).text for term in terms.tolist()]
    # Unlike other settings of how it runs, the precision changes the vectors.
    precision = quick_precision(config.precision, find_device(config.device))
    config = config.model_copy(update={"precision": precision})
    kept = {**config.model_dump(exclude=set(RUNNING)), "precision": precision}
    encoder = NameEncoder.pretrained(config.encoder)
    source = encoder.origin.source
    asked = [vocabulary.manifest.digest, sorted(types), kept, seed, source.digest]
    with checkpointed(out, [repr(asked)]) as work, threads(config.threads):
        if config.epochs:
            concepts = vocabulary.concepts_of(terms)
            _fine_tune(encoder, texts, concepts, config, seed, work / CHECKPOINT, repr(asked))
        vectors = _embedded(encoder, texts, config, work)

        def fill(directory: Path) -> None:
            np.save(directory / TERMS, terms)
            np.save(directory / VECTORS, vectors)
            write_graph(vectors, directory / GRAPH)
            encoder.save(directory)
            manifest = EmbeddingsManifest(
                made_by=f"auscult {__version__}",
                vocabulary=vocabulary.manifest.digest,
                types=tuple(sorted(types)),
                encoder=source.name,
                settings=kept,
                seed=seed,
                names=len(terms),
                width=encoder.width,
                digest=hashlib.sha256(vectors.tobytes()).hexdigest(),
            )
            text = manifest.model_dump_json(indent=1) + "\n"
            (directory / MANIFEST).write_text(text, encoding="utf-8")

        publish(out, fill, overwrite=overwrite)
    return NameEmbeddings.of(vocabulary)


def _terms(vocabulary: Vocabulary, types: Sequence[str]) -> npt.NDArray[np.int64]:
    concept_of = vocabulary.arrays["term_concept"].astype(np.int64)
    every = np.arange(len(concept_of))
    terms: npt.NDArray[np.int64] = every[
        TermFilter(vocabulary, tuple(types)).allows(every, concept_of)
    ]
    if not len(terms):
        raise OptionError(
            f"The vocabulary {vocabulary.path} has no names to embed. Check the semantic types, or "
            "build the vocabulary from a source with names."
        )
    return terms


def _fine_tune(
    encoder: NameEncoder,
    texts: Sequence[str],
    concepts: npt.NDArray[np.int64],
    config: EmbeddingConfiguration,
    seed: int,
    file: Path,
    fingerprint: str,
) -> None:
    """Bring the names of a concept together, in the encoder's own weights."""
    every, counts = np.unique(concepts, return_counts=True)
    several = every[counts > 1]
    if len(several) < 2:
        return  # no synonyms to learn from
    count = min(config.max_concepts, len(several))
    chosen = np.random.default_rng(seed).choice(several, count, replace=False)
    rows = np.flatnonzero(np.isin(concepts, chosen))
    texts = [texts[row] for row in rows.tolist()]
    _, first, groups = np.unique(concepts[rows], return_index=True, return_inverse=True)
    sizes = [len(tokens) for tokens in encoder.tokens(texts)]
    pairs = synonym_pairs(groups, texts, sizes, config.pairs_per_concept, seed)
    if not len(pairs):
        return
    names = [texts[at] for at in first.tolist()]
    near = near_concepts(encoder, names, device=config.device, precision=config.precision)
    batches = PairBatches(encoder, texts, groups, pairs, near)
    with _quiet():
        train(
            SynonymTraining(encoder),
            batches.lengths,
            batches,
            config,
            seed=seed,
            checkpoint=Checkpoint(file, fingerprint),
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Fabric does not say which precision it uses."""
    import lightning_fabric  # which sets the level when it is first imported

    logger = logging.getLogger(lightning_fabric.__name__)
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


def _embedded(
    encoder: NameEncoder, texts: Sequence[str], config: EmbeddingConfiguration, work: Path
) -> Halves:
    """The vectors of all names, in parts of similar length that are saved as they are done."""
    encoder.eval()
    work.mkdir(parents=True, exist_ok=True)
    order = np.argsort([len(text) for text in texts], kind="stable")
    found = np.zeros((len(texts), encoder.width), np.float16)
    begins = range(0, len(order), _PART)
    for begin in track(begins, "embedding names", len(begins)):
        rows = order[begin : begin + _PART]
        file = work / f"vectors-{begin}.npy"
        if not file.exists():
            some = [texts[row] for row in rows.tolist()]
            made = encoder.embed(some, device=config.device, precision=config.precision)
            draft = file.with_suffix(".draft")
            with draft.open("wb") as handle:
                np.save(handle, made.astype(np.float16))
            draft.replace(file)
        found[rows] = np.load(file)
    return found
