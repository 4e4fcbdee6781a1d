"""The model card of a pretrained encoder: `pretraining.json` and `README.md`."""

from __future__ import annotations

from auscult.learning.card import CardPart, TrainingSource


class StartingPoint(CardPart):
    """The encoder that pretraining started from."""

    name: str
    license: str | None
    digest: str
    """SHA-256 of its weights."""


class PretrainingCard(CardPart):
    """`pretraining.json`: what an encoder was pretrained from and on, and how well it predicts."""

    layout: int = 1
    made_by: str
    started_from: StartingPoint
    new_head: bool
    """Whether the encoder had no head, so that a new one was trained."""
    corpus: TrainingSource
    corpus_license: str | None
    categories: tuple[str, ...] | None
    seed: int
    configuration: dict[str, object]
    chunk_size: int
    charts: int
    tokens: int
    """Of an epoch."""
    dev_charts: int
    epochs: int
    """Maximum number; the weights of the best epoch are kept."""
    steps: int
    """Of an epoch."""
    seconds: float
    """Training time, including processes that were interrupted."""
    perplexity_before: float | None
    perplexity_after: float | None

    def readme(self) -> str:
        """The model card, as model hubs show it."""
        start, corpus = self.started_from, self.corpus
        held = f"{self.dev_charts:,} charts of other patients"
        measured = (
            "Nothing was held out, so the perplexity was not measured."
            if self.perplexity_before is None or self.perplexity_after is None
            else f"Perplexity on masked words in {held}: {self.perplexity_before:,.2f} before, "
            f"{self.perplexity_after:,.2f} after."
        )
        head = (
            " It came without a language-model head; a new head, tied to the input embeddings, "
            "was trained with it."
            if self.new_head
            else ""
        )
        on = f", SHA-256 {corpus.digest}" if corpus.digest else ""
        return f"""---
license: other
license_name: as-the-notes
pipeline_tag: fill-mask
---
# An encoder pretrained on {corpus.name}

**Weights can memorize note text. Treat this directory as being as confidential as the notes it was
trained on: the same access rules and data use agreements apply.**

- Started from: {start.name} (license: {start.license or "not stated"}; SHA-256 of the weights:
  {start.digest}).{head}
- Corpus: {corpus.name}{on}; training split: {corpus.train}; license: \
{self.corpus_license or "not stated"}.
- Trained on: {self.charts:,} charts, {self.tokens:,} tokens in chunks of at most \
{self.chunk_size} tokens, at most {self.epochs} epochs of {self.steps:,} steps; about \
{self.seconds:,.0f} seconds.
- Objective: masked language modeling with whole-word masking.
- {measured}
- Made by {self.made_by}, seed {self.seed}.

Use as an encoder: `auscult train CORPUS MODEL --model transformer --set encoder=THIS_DIRECTORY`.
Use as the context filter when auditing a model that was not fine-tuned from it: \
`auscult audit sensitivity MODEL CORPUS --mlm THIS_DIRECTORY`.
"""
