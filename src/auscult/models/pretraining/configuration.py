"""Hyperparameters of further pretraining."""

from __future__ import annotations

from pydantic import Field

from auscult.learning.training_configuration import TrainingConfiguration


class PretrainingConfiguration(TrainingConfiguration):
    """Training of an encoder as a masked language model."""

    batch_size: int = Field(16, ge=1, description="Number of chunks in a batch.")
    epochs: int = Field(3, ge=1, description="Maximum number of epochs.")
    patience: int = Field(
        2, ge=1, description="Epochs without improvement on dev before training stops."
    )
    learning_rate: float = Field(
        1e-4, gt=0, description="Peak learning rate (`lr_scheduler_type` sets its decay)."
    )
    warmup_ratio: float = Field(0.06, ge=0, lt=1, description="Fraction of the steps for warmup.")
    chunk_size: int | None = Field(
        None, ge=4, description="Length of a chunk, in tokens; default: the encoder's maximum."
    )
    mlm_probability: float = Field(
        0.15, gt=0, lt=1, description="Fraction of the words that are masked and predicted."
    )
    max_dev_chunks: int = Field(
        1_000, ge=1, description="Maximum number of dev chunks for measuring the perplexity."
    )

    def steps_of(self, chunks: int) -> int:
        """Steps of an epoch of so many chunks."""
        return -(-chunks // (self.batch_size * self.gradient_accumulation_steps))
