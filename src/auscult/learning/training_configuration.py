"""Hyperparameters that every neural network has."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SchedulerType = Literal["cosine", "linear", "constant", "constant_with_warmup"]


class TrainingConfiguration(BaseModel):
    """Hyperparameters of training."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    batch_size: int = Field(8, ge=1, description="Number of examples in a batch.")
    gradient_accumulation_steps: int = Field(
        1,
        ge=1,
        description="Number of batches whose gradients are accumulated before an optimizer step, "
        "for effective batches that do not fit in memory.",
    )
    epochs: int = Field(15, ge=1, description="Maximum number of epochs.")
    patience: int = Field(
        5, ge=1, description="Epochs without improvement on dev before training stops."
    )
    learning_rate: float = Field(
        2e-3, gt=0, description="Peak learning rate (`lr_scheduler_type` sets its decay)."
    )
    lr_scheduler_type: SchedulerType = Field(
        "cosine",
        description="Learning rate schedule: linear warmup, then cosine or linear decay to 0, or "
        "no decay (constant_with_warmup); constant has neither warmup nor decay.",
    )
    optimizer: Literal["adamw", "adam"] = Field(
        "adamw", description="Optimizer: AdamW, or Adam without weight decay."
    )
    warmup_ratio: float = Field(0.1, ge=0, lt=1, description="Fraction of the steps for warmup.")
    weight_decay: float = Field(0.01, ge=0, description="Weight decay of AdamW.")
    max_grad_norm: float = Field(1.0, gt=0, description="Maximum norm for gradient clipping.")
    device: str = Field("auto", description="Device to train on: auto, cpu, cuda, cuda:1…")
    precision: Literal["auto", "32", "bf16"] = Field(
        "auto",
        description="Floating-point precision: 32 bits, bf16 (mixed precision, half the time and "
        "memory on recent GPUs), or auto: bf16 on GPUs that support it, else 32 bits.",
    )
    threads: int | None = Field(
        None, ge=1, description="Number of CPU threads; default: all cores."
    )
    data_workers: int | None = Field(
        None,
        ge=0,
        description="Number of worker processes that prepare batches; default: up to 4 on a GPU, "
        "none on a CPU.",
    )
    checkpoint_seconds: float = Field(
        60.0,
        ge=0,
        description="Seconds between checkpoints, from which an interrupted run resumes; longer if "
        "writing them would take more than 5% of the training time.",
    )
