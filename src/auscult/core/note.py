"""A note: one document of a chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Note:
    """One document. Its text never shows in a `repr`.

    `chart_id` names the admission (`hadm_id` in MIMIC), `subject_id` the patient. `time` is ISO
    8601 as exact as the source has it: a date, or a date and a time. `text` is None when the
    source holds only stand-off annotations. `read_by` names annotators who read the note
    though no annotation of theirs shows it: without either a note counts as unread by them, and
    that it has no code of theirs says nothing. `meta` keeps what a format says beyond this, so that
    writing it back loses nothing.
    """

    note_id: str
    chart_id: str
    subject_id: str | None = None
    category: str | None = None
    time: str | None = None
    text: str | None = field(default=None, repr=False)
    split: str | None = None
    meta: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)
    read_by: tuple[str, ...] = ()
