"""Text generators: models that write the text of a visit from its discrete variables."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from auscult.core.errors import MissingExtraError
from auscult.core.names import require_known
from auscult.generators.contract import GeneratorArchitecture

# A new generator is a module, the class in it, and the extra it needs, if any. Nothing is imported
# before it is used.
_GENERATORS: dict[str, tuple[str, str, str | None]] = {
    "frequent": ("frequent", "FrequentGenerator", None),
    "lstm": ("lstm", "LstmGenerator", "neural"),
    "nearest": ("nearest", "NearestGenerator", None),
    "transformer": ("transformer", "TransformerGenerator", "neural"),
}
GENERATORS = tuple(_GENERATORS)


def architecture(name: str) -> type[GeneratorArchitecture]:
    """The class of a generator by name."""
    require_known(name, GENERATORS, "generator")
    module, class_name, extra = _GENERATORS[name]
    try:
        return cast(
            type[GeneratorArchitecture], getattr(import_module(f"{__name__}.{module}"), class_name)
        )
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("auscult"):
            raise
        raise MissingExtraError(f"The generator {name}", extra) from error
