"""A submission that is a corpus, such as `auscult predict` writes."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

from auscult.challenge.submission.read import read_file
from auscult.challenge.submission.submission import Submission, SubmittedCode, SubmittedDocument
from auscult.core import OptionError
from auscult.core.names import require_known
from auscult.corpus import Corpus
from auscult.corpus.combinations import Coded, combinations
from auscult.corpus.corpus import locate_manifest
from auscult.evaluate.sides import only_annotator

_CHALLENGE = "challenge.json"


def read_path(
    path: Path, *, origin: str | None = None, document: Coded = "chart"
) -> tuple[bytes, str, Submission]:
    """What is submitted, a file or a corpus: its bytes, the name of the file, what it says.

    Only codes of `origin` count where it is given; of a corpus with several annotators it has to
    be. What was chosen so is kept as the CSV that says the same.
    """
    if path.is_dir():
        submission = _of_corpus(open_corpus(path), path, origin, document)
        return _as_csv(submission), f"{path.resolve().name}.csv", submission
    raw, submission = read_file(path)
    if origin is None:
        return raw, path.name, submission
    chosen = _of_origin(submission, origin)
    return _as_csv(chosen), f"{path.name}.csv", chosen


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


def _of_corpus(corpus: Corpus, path: Path, origin: str | None, document: Coded) -> Submission:
    _, chosen = only_annotator(corpus, origin, str(path), "--predicted-annotator", is_gold=False)
    found = {} if chosen is None else combinations(corpus, chosen, document)
    return Submission.of(
        SubmittedDocument(
            name,
            None,
            tuple(SubmittedCode(code.value, None, code.system) for code in sorted(codes)),
        )
        for name, codes in found.items()
    )


def _as_csv(submission: Submission) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["document", "code", "system"])
    for document in submission.documents:
        rows.writerows([document.chart_id, given.value, given.system] for given in document.codes)
        if not document.codes:
            rows.writerow([document.chart_id, "", ""])
    return text.getvalue().encode()


def _of_origin(submission: Submission, origin: str) -> Submission:
    origins = {given.origin for document in submission.documents for given in document.codes}
    require_known(origin, [name for name in origins if name is not None], "origin")
    chosen = (
        replace(one, codes=tuple(given for given in one.codes if given.origin == origin))
        for one in submission.documents
    )
    return replace(submission, documents=tuple(chosen))
