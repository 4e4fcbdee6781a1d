"""`auscult pretrain`: continue pretraining an encoder on notes, as a masked language model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.options import (
    categories,
    config,
    dev_split,
    hyperparameters,
    overwrite,
    seed,
    train_split,
)
from auscult.cli.output import command
from auscult.cli.settings import read_toml, setting
from auscult.cli.train_output import say_estimate
from auscult.core.plurals import counted

if TYPE_CHECKING:
    from auscult.models.pretraining.pretrain import PretrainedEncoder


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--encoder",
    default="minilm",
    show_default=True,
    help="Encoder to start from: minilm, a directory, or a name on the Hugging Face hub.",
)
@click.option(
    "--chunk-size",
    "chunk_size",
    type=click.IntRange(4),
    metavar="N",
    help="Maximum length of a chunk, in tokens.  [default: the encoder's maximum]",
)
@config
@hyperparameters
@categories
@train_split
@dev_split
@seed
@click.option("--estimate", is_flag=True, help="Estimate the training time and exit.")
@overwrite
@command
def pretrain(
    corpus: Path,
    out: Path,
    encoder: str,
    chunk_size: int | None,
    file: Path | None,
    settings: tuple[str, ...],
    categories: tuple[str, ...],
    train: str,
    dev: str | None,
    seed: int,
    estimate: bool,
    overwrite: bool,
) -> Any:
    """Continue pretraining an encoder on the notes of CORPUS, without annotations.

    The encoder learns to predict masked words in the training split; test notes are never used.
    OUT is a Hugging Face model folder. It is as confidential as the notes, since weights can
    memorize their text. An interrupted command resumes when run again.

    \b
    Example:
      auscult pretrain notes clinical-minilm --estimate
      auscult pretrain notes clinical-minilm --chunk-size 256
      auscult train corpus model --model transformer --set encoder=clinical-minilm
    """
    from auscult.corpus import Corpus
    from auscult.models.pretraining.pretrain import estimate_pretraining
    from auscult.models.pretraining.pretrain import pretrain as pretrain_encoder

    given = {
        **(read_toml(file) if file else {}),
        **({} if chunk_size is None else {"chunk_size": chunk_size}),
        **dict(map(setting, settings)),
    }
    opened = Corpus.open(corpus)
    chosen: dict[str, Any] = {
        "categories": categories or None, "seed": seed, "train_split": train, "dev_split": dev,
    }  # fmt: skip
    if estimate:
        time = estimate_pretraining(opened, encoder, given, **chosen)
        return {"estimate": time.to_dict()}, lambda: say_estimate(time)
    made = pretrain_encoder(opened, out, encoder, given, overwrite=overwrite, **chosen)
    return made.to_dict(), lambda: _say(made)


def _say(made: PretrainedEncoder) -> None:
    card = made.card
    click.echo(
        f"{made.path}: {card.started_from.name}, pretrained on {counted(card.charts, 'chart')}, "
        f"{counted(card.tokens, 'token')} in chunks of at most {card.chunk_size} tokens"
    )
    if card.new_head:
        click.echo(
            "The encoder came without a language-model head. A new head, tied to the input "
            "embeddings, was trained with it. The perplexity before is that of an untrained head."
        )
    if card.perplexity_before is not None and card.perplexity_after is not None:
        click.echo(
            f"Perplexity on {counted(card.dev_charts, 'chart')} ({card.corpus.dev}): "
            f"{card.perplexity_before:,.2f} before, {card.perplexity_after:,.2f} after"
        )
    click.echo("Weights can memorize note text: keep the folder as confidential as the notes.")
