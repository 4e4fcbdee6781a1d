"""MCN, the concepts of n2c2 2019 track 3: note/*.txt, and norm/*.norm with the same names.

A line of a .norm file is `N001||C0011849||10||25`: an id, a concept of the UMLS or CUI-less, and
where it begins and ends; a split concept has further pairs. Folders may also be called train_note
and train_norm, as released. Lists of files, one name a line, say which notes are of which split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from auscult.core import Annotation, Code, FormatError, Note, Offsets, OffsetUnit
from auscult.core.files import read_text
from auscult.core.names import shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import unsupported
from auscult.corpus.formats.shared.files import create_text
from auscult.corpus.formats.shared.note_files import file_name, note_id_of
from auscult.corpus.formats.shared.plain_text import read_note, write_note
from auscult.corpus.formats.shared.readers import marked_read, read_back
from auscult.corpus.formats.shared.spans import to_span

_UMLS = "UMLS"
_ANNOTATOR = "gold"
_NUMBER = re.compile(r"[0-9]{1,15}")
_LIST = "_file_list.txt"
_SPLITS = ("train", "test")
HOLDS = frozenset({"notes.read_by"})
EXAMPLE = "n2c2_2019/train mcn"
IS_ONE_CORPUS = True


class ReadOptions(FormatOptions):
    """How to read the folder."""

    flags: ClassVar[Mapping[str, str]] = {"train": "--train-list", "test": "--test-list"}
    annotator: str = Field(_ANNOTATOR, description="Annotator name of the new annotations.")
    system: str = Field(_UMLS, description="Code system of codes that do not name theirs.")
    offsets: OffsetUnit = Field(OffsetUnit.CODEPOINT, description="What offsets count.")
    train: Path | None = Field(None, description="List of the training notes, one name per line.")
    test: Path | None = Field(None, description="List of the test notes, one name per line.")


class WriteOptions(FormatOptions):
    """How to write the folder."""

    system: str = Field(_UMLS, description="Code system of codes that do not name theirs.")


def read(source: Path, options: ReadOptions) -> Corpus:
    """The notes and concepts of a folder, or of the folders in it."""
    if not source.is_dir():
        raise FormatError("expected a folder with note/*.txt and norm/*.norm", source)
    texts = _named(source, "note", ".txt")
    norms = _named(source, "norm", ".norm")
    if not texts and not norms:
        raise FormatError("the folder has neither note/*.txt nor norm/*.norm", source)
    splits = _splits(source, options)
    notes: list[Note] = []
    annotations: list[Annotation] = []
    for note_id in track(sorted(texts.keys() | norms.keys()), "Reading MCN"):
        text = read_note(texts[note_id]) if note_id in texts else None
        split = splits.get(note_id, _split_of((texts.get(note_id) or norms[note_id]).parent))
        notes.append(Note(note_id, note_id, text=text, split=split))
        if note_id in norms:
            annotations += _concepts(notes[-1], norms[note_id], options)
    return Corpus.of(marked_read(notes, annotations, norms), annotations)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write note/*.txt, norm/*.norm and, where notes have a split, its list of files."""
    losses = Losses()
    unsupported.count_records(corpus, losses)
    on_note = unsupported.by_note(corpus, losses)
    wrote: dict[str, bool] = {}
    target.mkdir()
    for folder in ("note", "norm"):
        (target / folder).mkdir()
    for note in track(corpus.iter_notes(), "Writing MCN", len(on_note)):
        unsupported.count_note(note, losses, fields=("split",))
        if note.chart_id != note.note_id:
            losses.add(
                "notes.chart_id",
                "notes whose chart_id differs from their note_id",
                "the chart_id reads back as the note_id",
            )
        name = file_name(note.note_id, "")
        norm = target / "norm" / file_name(note.note_id, ".norm")
        if norm.exists():
            raise FormatError(
                f"two notes have the id {shown(note.note_id)}; one file can hold only one note"
            )
        if note.text is not None:
            write_note(target / "note" / f"{name}.txt", note.text, losses)
        if note.split is not None:
            list_file = target / file_name(note.split, _LIST)
            with list_file.open("a", encoding="utf-8", newline="") as handle:
                handle.write(f"{name}.txt\n")
        with create_text(norm) as handle:
            lines = list(_lines(on_note[note.note_id], options, losses))
            handle.writelines(lines)
            wrote[note.note_id] = bool(lines)
    unsupported.count_readers(corpus, losses, read_back((_ANNOTATOR,), wrote))
    return losses.list()


def _named(source: Path, kind: str, suffix: str) -> dict[str, Path]:
    """The files of a kind by note id, from every folder called `kind` or, say, `train_kind`."""
    found: dict[str, Path] = {}
    for path in sorted(source.rglob(f"*{suffix}")):
        folder = path.parent.name
        inside = path.parent != source and (folder == kind or folder.endswith(f"_{kind}"))
        if not inside or path.name.startswith(".") or not path.is_file():
            continue
        note_id = note_id_of(path.name.removesuffix(suffix))
        if note_id in found:
            raise FormatError(f"note {shown(note_id)} is already in {found[note_id]}", path)
        found[note_id] = path
    return found


def _split_of(folder: Path) -> str | None:
    prefix, _, _ = folder.name.rpartition("_")
    return prefix or None


def _splits(source: Path, options: ReadOptions) -> dict[str, str]:
    """The split of each note that a list of files names."""
    lists = {
        note_id_of(path.name.removesuffix(_LIST)): path
        for path in sorted(source.rglob(f"?*{_LIST}"))
        if path.is_file()
    }
    lists |= {name: path for name in _SPLITS if (path := getattr(options, name)) is not None}
    return {
        note_id_of(name.removesuffix(".txt")): split
        for split, path in lists.items()
        for name in read_text(path).replace("\r", "").split("\n")
        if name
    }


def _concepts(note: Note, file: Path, options: ReadOptions) -> Iterator[Annotation]:
    offsets = None if note.text is None else Offsets(note.text, options.offsets)
    if offsets is None and options.offsets is not OffsetUnit.CODEPOINT:
        raise FormatError(f"offsets in {options.offsets} need the text; there is no .txt", file)
    count = 0
    for row, raw in enumerate(read_text(file).split("\n"), 1):
        line = raw.removesuffix("\r")
        if not line.strip():
            continue
        count += 1
        id_, *fields = line.split("||")
        value, numbers = (fields or [""])[0], fields[1:]
        if not (id_ and value and numbers) or len(numbers) % 2 or not _all_numbers(numbers):
            raise FormatError(
                "expected an id, a concept and pairs of begin and end, as in "
                "N001||C0011849||10||25",
                file,
                row,
            )
        ends = [int(number) for number in numbers]
        yield Annotation(
            options.annotator,
            Code(options.system, value),
            note.chart_id,
            note.note_id,
            tuple(
                to_span(begin, end, offsets, file, row, options.offsets)
                for begin, end in zip(ends[::2], ends[1::2], strict=True)
            ),
            meta={} if id_ == _id(count) else {"id": id_},
        )


def _lines(
    annotations: Sequence[Annotation], options: WriteOptions, losses: Losses
) -> Iterator[str]:
    count = 0
    for annotation in annotations:
        value = annotation.code.value
        if annotation.code.system != options.system:
            losses.add(
                "annotations",
                f"annotations of a code system other than {options.system}",
                "left out",
            )
        elif not annotation.spans:
            losses.add("annotations", "annotations without spans", "left out")
        elif not _fits(value):
            losses.add(
                "annotations", "annotations whose code contains | or a line break", "left out"
            )
        else:
            count += 1
            given = annotation.meta.get("id", "")
            own = given if _fits(given) and given != _id(count) else ""
            unsupported.count_annotation(annotation, losses, meta=("id",) if own else ())
            if annotation.annotator != _ANNOTATOR:
                losses.add(
                    "annotations.annotator",
                    "annotations by an annotator other than gold",
                    "they read back as by gold",
                )
            ends = (str(end) for span in annotation.spans for end in (span.begin, span.end))
            yield "||".join((own or _id(count), value, *ends)) + "\n"


def _id(count: int) -> str:
    return f"N{count:03d}"


def _fits(value: str) -> bool:
    return bool(value) and not re.search(r"[|\n\r\0\ufeff]", value)


def _all_numbers(values: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(value) for value in values)
