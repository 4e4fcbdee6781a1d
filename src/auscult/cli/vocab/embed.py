"""`auscult vocab embed`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.options import hyperparameters, overwrite, seed
from auscult.cli.output import command
from auscult.cli.settings import setting
from auscult.cli.vocab.arguments import types_option, vocabulary_argument


@click.command()
@vocabulary_argument
@types_option
@hyperparameters
@seed
@overwrite
@command
def embed(
    vocabulary: Path, types: tuple[str, ...], settings: tuple[str, ...], seed: int, overwrite: bool
) -> Any:
    """Embed the names of a vocabulary, so that the model linker can find concepts by meaning.

    A pretrained encoder (--set encoder=…, by default minilm) is fine-tuned on the vocabulary's own
    synonyms; --set epochs=0 skips the fine-tuning. The embeddings are stored in the folder
    VOCABULARY. To use them, train the linker with --set embeddings=true.

    An interrupted command resumes when run again.

    \b
    Example:
      auscult vocab embed diseases --semantic-type Disease
      auscult train notes out --model linker --set vocabulary=diseases --set embeddings=true
    """
    from auscult.codes.vocabulary import Vocabulary
    from auscult.core import MissingExtraError
    from auscult.learning.settings import configured

    opened = Vocabulary.open(vocabulary)
    try:
        from auscult.models.semantic.embedding_training import (
            EmbeddingConfiguration,
            embed_vocabulary,
        )
    except ModuleNotFoundError as error:
        raise MissingExtraError("auscult vocab embed", "semantic") from error
    config = configured(EmbeddingConfiguration, "embeddings", dict(map(setting, settings)))
    made = embed_vocabulary(opened, config, types=types, seed=seed, overwrite=overwrite).manifest
    result = {"vocabulary": str(vocabulary), **made.model_dump(mode="json")}
    return result, lambda: click.echo(
        f"{vocabulary}: {made.names:,} names embedded with {made.encoder}"
    )
