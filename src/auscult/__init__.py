"""Code clinical text with the evidence for each code, and know how far to trust the codes.

The values are here; the parts are in `auscult.corpus`, `auscult.codes` and so on. Importing this
package loads nothing heavy: `Corpus` brings its libraries in when first touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auscult.core import Annotation, AuscultError, Code, Measure, Note, Span
from auscult.core.version import __version__

if TYPE_CHECKING:
    from auscult.corpus import Corpus

__all__ = ["Annotation", "AuscultError", "Code", "Corpus", "Measure", "Note", "Span", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Corpus":
        from auscult.corpus import Corpus

        return Corpus
    raise AttributeError(f"module 'auscult' has no attribute {name!r}")
