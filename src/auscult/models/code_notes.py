"""Code notes in one go: read files, run a model, check the codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from auscult.codes import table_of
from auscult.codes.releases.parts import PartKind
from auscult.codes.releases.store import newest
from auscult.core import OptionError, Status
from auscult.core.option_names import option
from auscult.core.version import __version__
from auscult.corpus.code_rows import code_rows
from auscult.corpus.coded_notes import CodedNotes
from auscult.corpus.corpus import Corpus, locate_manifest
from auscult.corpus.documents import ReadDocuments, read_documents
from auscult.models.care_setting import CareSetting
from auscult.models.model import Model
from auscult.models.predictions import Predictions
from auscult.models.ready_made import READY_MADE, ready_made
from auscult.models.verify import Verifier, verify

_CODEBOOK = "codebook"
_ORDER = "the order of the codes (principal or first-listed diagnosis), present on admission"
NOT_ATTEMPTED = (
    "CPT and HCPCS procedures (the American Medical Association licenses CPT)",
    "ICD-10-PCS procedures",
    "notes in other languages than English",
    _ORDER,
)
"""What the model codebook leaves to the coder."""
_OF_TRAINED = ("codes that the model was not trained on", _ORDER)


def code_notes(
    sources: Path | str | Sequence[Path | str],
    model: Model | Path | str = _CODEBOOK,
    *,
    threshold: float | None = None,
    care_setting: CareSetting = "auto",
    verifier: Verifier | None = None,
) -> CodedNotes:
    """Code the notes in files and folders (see `read_documents`), or the charts of a corpus.

    `model` is one that is loaded, a trained model's folder, or codebook, which needs no training
    and codes English notes with ICD-10-CM. `threshold` is the minimum score of a code, by default
    the model's own. What is possible or suspected is coded for inpatients and not for outpatients
    (the code book alone knows the `care_setting`). A `verifier` checks the codes that are given.
    `CodedNotes.rows` is the table of codes.
    """
    found = _read(sources)
    used = _opened(model, care_setting)
    if threshold is not None:
        used = used.with_thresholds(threshold)
    notes = tuple(
        note if note.category else replace(note, category=used.reads.usual) for note in found.notes
    )
    made = used.predict(notes)
    if verifier is not None:
        checked = verify(made, notes, verifier).annotations
        made = Predictions(one for one in checked if one.status is Status.GIVEN)
    return CodedNotes(
        notes,
        made,
        code_rows(notes, made),
        _about(used, used.name if isinstance(model, Model) else str(model)),
        NOT_ATTEMPTED if used.name in READY_MADE else _OF_TRAINED,
        found.unread,
        used.name in READY_MADE and newest(PartKind.INDEX) is None,
    )


def _opened(model: Model | Path | str, care_setting: CareSetting) -> Model:
    if isinstance(model, Model):
        return model
    if str(model) in READY_MADE and not Path(model).exists():
        return ready_made(str(model), {"care_setting": care_setting})
    if care_setting != "auto":
        raise OptionError(
            f"The model {model} was trained for its own care setting: only codebook can be told. "
            f"Leave {option('--care-setting', 'care_setting')} out."
        )
    return Model.load(Path(model))


def _read(sources: Path | str | Sequence[Path | str]) -> ReadDocuments:
    """The notes of files and folders, or of one corpus."""
    given = [sources] if isinstance(sources, Path | str) else list(sources)
    held = [Path(source) for source in given if locate_manifest(Path(source)).exists()]
    if not held:
        return read_documents(given)
    if len(given) > 1:
        raise OptionError(f"{held[0]} is a corpus. Pass one corpus, or files and folders of notes.")
    return ReadDocuments(tuple(Corpus.open(held[0]).iter_notes()), {})


def _about(model: Model, named: str) -> dict[str, str]:
    decoding = model.about.decoding
    passes = None
    if decoding is not None:
        passes = decoding.code_threshold if len(model.labels) else decoding.open_threshold
    listed, index = table_of("ICD-10-CM"), newest(PartKind.INDEX)
    missing = "not installed (auscult codes add installs it and finds more codes)"
    return {
        "Made by": f"Auscult {__version__}",
        "Date": date.today().isoformat(),
        "Model": named if named == model.name else f"{named} ({model.name})",
        "Threshold": "none" if passes is None else f"{passes:.2f}",
        "ICD-10-CM release": "none" if listed is None else listed.release,
        "Alphabetic Index": missing if index is None else index.year,
        "Scores": _scores(model),
    }


def _scores(model: Model) -> str:
    if model.name in READY_MADE:
        return "probabilities, calibrated on published case reports; on other notes they may be off"
    if model.about.decoding is not None and model.about.decoding.calibration is not None:
        return "probabilities, calibrated on the charts that the model was tuned on"
    return "of the model, not calibrated"
