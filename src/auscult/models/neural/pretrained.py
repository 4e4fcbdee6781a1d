"""Pretrained encoders of Hugging Face: load them, and save them with a model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from huggingface_hub.utils import logging as hub_logging
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)
from transformers.utils import logging

from auscult.core import AuscultError, OptionError, storage
from auscult.models.neural.encoder_source import path_of

FILE = "config.json"
_USUAL = 512
"""Pieces of a chunk where an encoder sets no limit."""


def fetch(model: str, *, has_pooler: bool = False) -> tuple[nn.Module, Tokenizer]:
    """The encoder and tokenizer with a name: `minilm`, a directory, or a name on the hub.

    With `has_pooler`, the encoder keeps its pooler, which only classifiers of whole texts need,
    unless it comes without the pooler's weights, as a masked language model does.
    """
    settings, tokenizer = settings_and_tokenizer(path_of(model))
    encoder, lost = load_encoder(AutoModel, model, config=settings)
    encoder.config.has_pooler = has_pooler and not lost
    return _for_reading(encoder, has_pooler=has_pooler), tokenizer.backend_tokenizer


def load_encoder(kind: Any, name: str, **given: Any) -> tuple[Any, list[str]]:
    """An encoder of a name with a class of transformers, and what its head has no weights for.

    What has no weights was drawn at random, so an encoder that lacks some of its own is an error.
    The pooler belongs to the head: only classifiers have trained it.
    """
    # In full precision whatever it was saved in: training needs the digits.
    model, found = load_pretrained(
        kind, path_of(name), dtype=torch.float32, output_loading_info=True, **given
    )
    inside = "" if model.base_model is model else f"{model.base_model_prefix}."
    missing = sorted(found["missing_keys"])
    head = [
        key for key in missing if not key.startswith(inside) or key.startswith(f"{inside}pooler.")
    ]
    lost = [key for key in missing if key not in head]
    if lost:
        raise AuscultError(
            f"{name} lacks weights of its encoder ({len(lost)}, such as {lost[0]}). Download it "
            "again, or choose another encoder."
        )
    return model, head


def settings_and_tokenizer(model: str) -> tuple[Any, Any]:
    """The configuration and tokenizer of an encoder; an error if it is unsuitable."""
    settings = load_pretrained(AutoConfig, model)
    _require_encoder(model, settings)
    tokenizer = load_pretrained(AutoTokenizer, model)
    if not tokenizer.is_fast:
        raise OptionError(
            f"The tokenizer of {model} gives no character offsets, so evidence could not be "
            "located in the text. Choose a model with a fast tokenizer (tokenizer.json)."
        )
    return settings, tokenizer


def build(directory: Path, *, has_pooler: bool = False) -> nn.Module:
    """An encoder as `keep` described it, whose weights are still to be loaded."""
    file = storage.locate(directory, FILE)
    kind: Any = AutoModel
    try:
        with quiet():
            encoder = kind.from_config(AutoConfig.from_pretrained(str(file)))
            return _for_reading(encoder, has_pooler=has_pooler)
    except Exception as error:  # whatever transformers makes of a damaged file
        raise AuscultError(f"{file} is missing or damaged; train the model again.") from error


def keep(encoder: nn.Module, directory: Path) -> None:
    """Describe the encoder in a directory, so that `build` needs nothing else."""
    settings: Any = encoder.config
    settings.to_json_file(str(directory / FILE))


def longest_chunk(encoder: nn.Module) -> int:
    """How many pieces the encoder can take at once."""
    settings: Any = encoder.config
    positions = getattr(settings, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions <= 0:
        return _USUAL
    table = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    # RoBERTa and its kin count positions from behind the one of padding.
    return positions if padding is None else positions - int(padding) - 1


def load_pretrained(kind: Any, model: str, **given: Any) -> Any:
    """Load a model with a class of transformers; local files are preferred to the hub."""
    if Path(model).is_dir():
        return _load(kind, model, local_files_only=True, **given)
    if _is_path(model):
        raise OptionError(f"There is no directory {model} with a pretrained model. Check the path.")
    try:
        with quiet():
            return kind.from_pretrained(model, local_files_only=True, **given)
    except Exception:
        return _load(kind, model, **given)


def _load(kind: Any, model: str, **given: Any) -> Any:
    try:
        with quiet():
            return kind.from_pretrained(model, **given)
    except Exception as error:
        if Path(model).is_dir():
            raise OptionError(
                f"{model} is not a model that transformers can load: it must have config.json, "
                "model.safetensors and tokenizer.json."
            ) from error
        raise OptionError(
            f"The model {model} is neither a local directory nor available from the Hugging "
            "Face hub. Check the name and the connection, or download it and pass its "
            "directory."
        ) from error


def _is_path(model: str) -> bool:
    return model.startswith((".", "~", os.sep)) or model.count("/") > 1


def _require_encoder(model: str, settings: Any) -> None:
    kind = settings.model_type
    writes = kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    # Where there is no masked language model of its kind, it has only ever read to the left.
    is_decoder = writes and kind not in MODEL_FOR_MASKED_LM_MAPPING_NAMES
    if is_decoder or getattr(settings, "is_encoder_decoder", False):
        raise OptionError(
            f"{model} ({kind}) is not an encoder: it generates text. Choose an encoder: BERT, "
            "RoBERTa, DeBERTa, ELECTRA, Longformer, ModernBERT…"
        )


def take_pooler(encoder: Any) -> nn.Module | None:
    """Remove the pooler from an encoder and return it; None if there is none."""
    pooler: nn.Module | None = getattr(encoder, "pooler", None)
    if pooler is not None:
        encoder.pooler = None
    return pooler


def _for_reading(encoder: Any, *, has_pooler: bool) -> nn.Module:
    """The encoder without the parts that only other tasks need."""
    if not (has_pooler and getattr(encoder.config, "has_pooler", True)):
        take_pooler(encoder)
    encoder.config.use_cache = False
    reader: nn.Module = encoder
    return reader


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no advice from the libraries."""
    loggers: tuple[Any, ...] = (logging, hub_logging)
    before = [one.get_verbosity() for one in loggers]
    has_bars = loggers[0].is_progress_bar_enabled()
    loggers[0].disable_progress_bar()
    for one in loggers:
        one.set_verbosity_error()
    try:
        yield
    finally:
        for one, verbosity in zip(loggers, before, strict=True):
            one.set_verbosity(verbosity)
        if has_bars:
            loggers[0].enable_progress_bar()
