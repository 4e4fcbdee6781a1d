"""The values everything else is made of. Standard library only."""

from auscult.core.annotation import Annotation, Status
from auscult.core.code import Code
from auscult.core.errors import (
    AuscultError,
    CorpusError,
    FormatError,
    MissingExtraError,
    OptionError,
    PluginError,
    SpanError,
    UnreadWarning,
)
from auscult.core.metric import Metric
from auscult.core.note import Note
from auscult.core.offsets import Offsets, OffsetUnit
from auscult.core.span import Span

__all__ = [
    "Annotation",
    "AuscultError",
    "Code",
    "CorpusError",
    "FormatError",
    "Metric",
    "MissingExtraError",
    "Note",
    "OffsetUnit",
    "Offsets",
    "OptionError",
    "PluginError",
    "Span",
    "SpanError",
    "Status",
    "UnreadWarning",
]
