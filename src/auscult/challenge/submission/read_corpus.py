"""A submission that is a corpus, such as `auscult predict` writes."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

from auscult.challenge.submission.read import read_file, unreadable
from auscult.challenge.submission.submission import Submission, SubmittedCode, SubmittedDocument
from auscult.core import OptionError
from auscult.core.digests import directory_digest, file_digest
from auscult.core.names import require_known
from auscult.corpus import Corpus
from auscult.corpus.combinations import Coded, combinations
from auscult.corpus.corpus import locate_manifest
from auscult.evaluate.sides import only_annotator

_CHALLENGE = "challenge.json"


def read_path(
    path: Path,
    *,
    origin: str | None = None,
    document: Coded = "chart",
    with_evidence: bool = False,
) -> tuple[bytes, str, Submission]:
    """What is submitted, a file or a corpus: its bytes, the name of the file, what it says.

    Only codes of `origin` count where it is given; of a corpus with several annotators it has to
    be. What was chosen so is kept as the CSV that says the same. Of a corpus, spans are read only
    `with_evidence`.
    """
    if path.is_dir():
        submission = _of_corpus(
            open_corpus(path), path, origin, document, with_evidence=with_evidence
        )
        return _as_csv(submission), f"{path.resolve().name}.csv", submission
    raw, submission = read_file(path)
    if origin is None:
        return raw, path.name, submission
    chosen = _of_origin(submission, origin)
    return _as_csv(chosen), f"{path.name}.csv", chosen


def digest_path(path: Path) -> tuple[str, str]:
    """The name and the digest of what is submitted, without looking at what it says."""
    try:
        name = path.resolve().name
        return name, directory_digest(path) if path.is_dir() else file_digest(path)
    except OSError as error:
        raise unreadable(path, error) from error


def open_corpus(path: Path) -> Corpus:
    """The corpus in a folder; any other folder is an error."""
    if (path / _CHALLENGE).exists():
        raise OptionError(
            f"{path} is a challenge. Submit to it with: auscult challenge submit {path} TEAM "
            "FILE. To score against its gold codes only, pass its corpus: auscult challenge "
            f"score {path / 'corpus'} FILE --split test"
        )
    if not locate_manifest(path).exists():
        raise OptionError(f"{path} is a folder but not a corpus (it has no manifest.json).")
    return Corpus.open(path)


def _of_corpus(
    corpus: Corpus, path: Path, origin: str | None, document: Coded, *, with_evidence: bool
) -> Submission:
    corpus, chosen = only_annotator(
        corpus, origin, str(path), "--predicted-annotator", is_gold=False
    )
    found = {} if chosen is None else combinations(corpus, chosen, document)
    given = {
        name: [SubmittedCode(code.value, None, code.system) for code in sorted(codes)]
        for name, codes in found.items()
    }
    if with_evidence:
        _add_evidence(given, corpus, document)
    return Submission.of(
        SubmittedDocument(name, None, tuple(codes)) for name, codes in given.items()
    )


def _add_evidence(given: dict[str, list[SubmittedCode]], corpus: Corpus, document: Coded) -> None:
    """Replace each code that has spans by one for each note with them."""
    pointed: dict[str, list[SubmittedCode]] = {}
    for said in corpus.iter_annotations():
        if said.spans and said.note_id is not None:
            name = said.note_id if document == "note" else said.chart_id
            spans = tuple((span.begin, span.end) for span in said.spans)
            one = SubmittedCode(
                said.code.value, None, said.code.system, note=said.note_id, spans=spans
            )
            if one not in pointed.setdefault(name, []):
                pointed[name].append(one)
    for name, codes in pointed.items():
        there = {(one.system, one.value) for one in codes}
        bare = [one for one in given.get(name, ()) if (one.system, one.value) not in there]
        given[name] = sorted([*bare, *codes], key=_place)


def _place(one: SubmittedCode) -> tuple[str, str, str, tuple[tuple[int, int], ...]]:
    return one.value, one.system or "", one.note or "", one.spans


def _as_csv(submission: Submission) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    has_spans = any(one.spans for document in submission.documents for one in document.codes)
    rows.writerow(["document", "code", "system", *(["note", "begin", "end"] if has_spans else [])])
    for document in submission.documents:
        for given in document.codes:
            row = [document.chart_id, given.value, given.system]
            if not has_spans:
                rows.writerow(row)
                continue
            for edges in given.spans or (("", ""),):
                rows.writerow([*row, given.note, *edges])
        if not document.codes:
            rows.writerow([document.chart_id, "", "", *(["", "", ""] if has_spans else [])])
    return text.getvalue().encode()


def _of_origin(submission: Submission, origin: str) -> Submission:
    origins = {given.origin for document in submission.documents for given in document.codes}
    require_known(origin, [name for name in origins if name is not None], "origin")
    chosen = (
        replace(one, codes=tuple(given for given in one.codes if given.origin == origin))
        for one in submission.documents
    )
    return replace(submission, documents=tuple(chosen))
