"""Settings of the model `transformer`."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.models.neural.configuration import EvidenceConfiguration
from auscult.models.neural.encoder_source import MINILM
from auscult.models.neural.heads.head import HeadName


class TransformerConfiguration(EvidenceConfiguration):
    """The encoder, its chunks, and fine-tuning."""

    encoder: str = Field(
        MINILM,
        description="Pretrained encoder: a directory, a name on the Hugging Face hub such as "
        "emilyalsentzer/Bio_ClinicalBERT, or minilm, whose weights come with the extra minilm.",
        min_length=1,
    )
    chunk_size: int | None = Field(
        None, ge=4, description="Length of a chunk, in tokens; default: the encoder's maximum."
    )
    chunk_overlap: int | None = Field(
        None,
        ge=0,
        description="Overlap of neighboring chunks, in tokens; default: an eighth of a chunk.",
    )
    chunk_batch_size: int = Field(
        16, ge=1, description="Number of chunks in one pass of the encoder."
    )
    gradient_checkpointing: bool = Field(
        False, description="Use gradient checkpointing: much less memory, a third more time."
    )
    freeze_layers: int = Field(
        0,
        ge=0,
        description="Number of lower encoder layers to freeze, together with the embeddings, to "
        "save time and memory; 0 trains everything.",
    )
    torch_compile: bool = Field(
        False, description="Compile the encoder with torch.compile (on a GPU only; untested)."
    )
    patience: int = Field(
        15,
        ge=1,
        description="Epochs without improvement on dev before training stops; by default, all "
        "epochs run and the best one is kept.",
    )
    learning_rate: float = Field(
        5e-5, gt=0, description="Peak learning rate (`lr_scheduler_type` sets its decay)."
    )
    head: HeadName = Field(
        "cross-attention",
        description="Head that scores the codes: cross-attention (a query and an output layer for "
        "each code), plm-ca (one output layer for all codes), plm-icd (label-aware attention) or "
        "sequence (a classifier on the first token, for outcomes).",
    )
    label_initialization: Literal["random", "description"] = Field(
        "random",
        description="Initial query of each code: random, or its encoded description. Codes without "
        "a description start at random.",
    )
    single_label: bool | None = Field(
        None,
        description="For the head sequence: true if each chart has exactly one code (softmax), "
        "false if any number (sigmoid); default: true if every training chart has exactly one of "
        "several codes.",
    )

    @model_validator(mode="after")
    def _head_can(self) -> Self:
        if self.head != "sequence":
            return self
        if self.evidence != "attention":
            raise ValueError(
                f"evidence={self.evidence} needs attention by code, which the head sequence does "
                "not have; choose another head or leave out evidence"
            )
        if self.label_initialization != "random":
            raise ValueError(
                "the head sequence has no queries to initialize from descriptions; choose another "
                "head or leave out label_initialization"
            )
        if self.explainer == "none" and "explainer" not in self.model_fields_set:
            object.__setattr__(self, "explainer", "integrated-gradients")
        if self.explainer != "integrated-gradients":
            raise ValueError(
                "the head sequence has no attention to use as evidence; set "
                "explainer=integrated-gradients"
            )
        return self
