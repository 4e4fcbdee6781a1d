"""The release for teams: train with codes, test without, the schema, the rules, and checksums.

It comes in two stages, by the calendar: first the training documents, then the test documents.
Nothing in it depends on the codes of the test part: a release made after those were changed is
the same, byte for byte. Documents come in the order of their ids, since that of the corpus may
have been made with the codes in view.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from auscult.challenge.calendar import CalendarDate
from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import CalendarError
from auscult.challenge.settings import Feedback, RankedSubmission, Track
from auscult.challenge.state import ChallengeAction, ChallengeState, refusal
from auscult.challenge.submission.read_xml import SCHEMA, schema_text
from auscult.codes import describe
from auscult.core import Annotation, Note, OptionError, storage
from auscult.core.digests import file_digests
from auscult.corpus import Chart, Corpus, formats
from auscult.corpus.formats import Loss, cmc
from auscult.report.challenge_rules import rules_page

SUMS = "SHA256SUMS"
ABOUT = "release.json"
_EXAMPLE_DOCUMENTS = 3


class ReleaseStage(StrEnum):
    """What a release has."""

    TRAINING = "training"
    TEST = "test"
    ALL = "all"


_NEEDS = {
    ReleaseStage.TRAINING: (ChallengeAction.TRAINING,),
    ReleaseStage.TEST: (ChallengeAction.TEST,),
    ReleaseStage.ALL: (ChallengeAction.TRAINING, ChallengeAction.TEST),
}


def release(
    challenge: Challenge,
    out: Path,
    *,
    humans: bool = False,
    stage: ReleaseStage | None = None,
    ahead: bool = False,
) -> list[Loss]:
    """Write the release into a new folder, and say what its form cannot hold.

    With `humans`, the training part has the codes of the human annotators too, not only gold.
    Without a `stage`, it contains what is due by the calendar. `ahead` writes a stage before its
    date, for the organizers only.
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise OptionError(f"{out} exists already. Choose another name for the release.")
    settings, state = challenge.settings, challenge.state()
    stage = due_stage(challenge, state, stage, ahead=ahead)
    shown = [settings.gold, *(settings.humans if humans else ())]
    losses: list[Loss] = []

    def fill(draft: Path) -> None:
        train = _part(challenge, settings.train, shown)
        test = _part(challenge, settings.test, ())
        if stage is not ReleaseStage.TEST:
            losses.extend(formats.write("cmc", train, draft / "train.xml"))
            if Track.EVIDENCE in settings.tracks:
                formats.write("jsonl", _notes(challenge, settings.train, shown), draft / "train")
        if stage is not ReleaseStage.TRAINING:
            formats.write("cmc", test, draft / "test.xml")
            _examples(challenge, test, draft)
            if Track.EVIDENCE in settings.tracks:
                formats.write("jsonl", _notes(challenge, settings.test, ()), draft / "test")
        (draft / SCHEMA).write_text(schema_text(), encoding="utf-8")
        (draft / "codes.csv").write_text(_codes(challenge), encoding="utf-8")
        _rules(challenge, state, train, test, draft / "rules.html", stage)
        about = {
            "name": settings.name,
            "stage": stage.value,
            "document": settings.document.value,
            "tracks": [track.value for track in settings.tracks],
        }
        (draft / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        _checksums(draft)

    storage.publish(out, fill, overwrite=False)
    return losses


def due_stage(
    challenge: Challenge,
    state: ChallengeState,
    stage: ReleaseStage | None = None,
    *,
    ahead: bool = False,
) -> ReleaseStage:
    """The stage that was asked for, or all that is due; an error if the calendar refuses it."""
    now = challenge.clock.now()
    if stage is None:
        is_due = refusal(state, ChallengeAction.TEST, now) is None
        stage = ReleaseStage.ALL if is_due or ahead else ReleaseStage.TRAINING
    for action in () if ahead else _NEEDS[stage]:
        why = refusal(state, action, now)
        if why is not None:
            raise CalendarError(why)
    return stage


def _notes(challenge: Challenge, split: str, annotators: Iterable[str]) -> Corpus:
    """The notes of a part with the evidence that may be shown, in whose text spans are offsets.

    Who read a note is left out: it would tell which documents have no code.
    """
    shown = set(annotators)
    charts = sorted(
        challenge.corpus.select(splits=[split]).charts(), key=lambda chart: chart.chart_id
    )
    notes = [
        Note(note.note_id, note.chart_id, category=note.category, text=note.text)
        for chart in charts
        for note in chart.notes
    ]
    said = [
        replace(one, meta={})
        for chart in charts
        for one in chart.annotations
        if one.annotator in shown
    ]
    return Corpus.of(notes, said)


def _part(challenge: Challenge, split: str, annotators: Iterable[str]) -> Corpus:
    """A part as documents, each one note with the codes that may be shown."""
    shown = set(annotators)
    notes: list[Note] = []
    said: list[Annotation] = []
    part = challenge.corpus.select(splits=[split])
    for chart in sorted(part.charts(), key=lambda chart: chart.chart_id):
        note = _document(chart)
        notes.append(note)
        given = {(a.annotator, a.code) for a in chart.annotations if a.annotator in shown}
        said += [Annotation(who, code, note.chart_id, note.note_id) for who, code in sorted(given)]
    return Corpus.of(notes, said)


def _document(chart: Chart) -> Note:
    """The note of a chart, under the chart's id; of several one, with a part for each."""
    if len(chart.notes) != 1:
        return cmc.joined(chart.chart_id, chart.notes)
    # Of meta the form writes where the parts of the text are, and nothing else.
    return replace(chart.notes[0], note_id=chart.chart_id, subject_id=None, time=None, split=None)


def _codes(challenge: Challenge) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["code", "system", "description"])
    for code in challenge.settings.label_set:
        rows.writerow([code.value, code.system, describe(code) or ""])
    return text.getvalue()


def _examples(challenge: Challenge, test: Corpus, draft: Path) -> None:
    """A small submission in each form, whose codes are the first of the label set for all."""
    code = challenge.settings.label_set[0]
    ids = [note.note_id for note in test.iter_notes()][:_EXAMPLE_DOCUMENTS]
    notes = [Note(name, name) for name in ids]
    said = [Annotation("our-system", code, name, name) for name in ids[:-1]]
    folder = draft / "examples"
    folder.mkdir()
    formats.write("cmc", Corpus.of(notes, said), folder / "submission.xml")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["document", "code"])
    rows.writerows([name, code.value] for name in ids[:-1])
    rows.writerow([ids[-1], ""])
    (folder / "submission.csv").write_text(text.getvalue(), encoding="utf-8")
    answers = {name: [code.value] if name != ids[-1] else [] for name in ids}
    (folder / "submission.json").write_text(
        json.dumps(answers, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    if Track.EVIDENCE in challenge.settings.tracks:
        first = challenge.corpus.select(charts=ids).iter_notes()
        _evidence_example(code.value, list(first), folder / "evidence.csv")


def _evidence_example(code: str, notes: list[Note], file: Path) -> None:
    """The first word of each note as evidence."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["document", "note", "code", "begin", "end"])
    for note in sorted(notes, key=lambda note: (note.chart_id, note.note_id)):
        word = (note.text or "").split(maxsplit=1)
        begin = (note.text or "").find(word[0]) if word else 0
        edges = [begin, begin + len(word[0])] if word else ["", ""]
        rows.writerow([note.chart_id, note.note_id, code if word else "", *edges])
    file.write_text(text.getvalue(), encoding="utf-8")


def _rules(
    challenge: Challenge,
    state: ChallengeState,
    train: Corpus,
    test: Corpus,
    file: Path,
    stage: ReleaseStage,
) -> None:
    settings, calendar = challenge.settings, state.calendar
    rules_page(
        file,
        stage=stage.value,
        has_evidence=Track.EVIDENCE in settings.tracks,
        dates=[
            (date.says, calendar.shown(date))
            for date in CalendarDate
            if date in calendar.dates or calendar.is_announced_later(date)
        ],
        name=settings.name,
        train=len(train.chart_ids()),
        test=len(test.chart_ids()),
        codes=len(settings.codes),
        systems=sorted({system for system, _ in settings.codes}),
        attempts=settings.attempts,
        gives_scores=settings.feedback is Feedback.SCORES,
        takes_best=settings.counting is RankedSubmission.BEST,
        costs=settings.costs,
        schema=SCHEMA,
    )


def _checksums(draft: Path) -> None:
    """A digest of every file, as `sha256sum --check` reads it."""
    lines = [f"{digest}  {name}\n" for name, digest in file_digests(draft).items()]
    (draft / SUMS).write_text("".join(lines), encoding="utf-8")
