"""`auscult predict`: run inference on notes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.engines import on_engine, partition_option
from auscult.cli.losses import say_losses
from auscult.cli.options import (
    code_threshold,
    inference_settings,
    overwrite,
    sign_as,
    splits,
    vocabulary,
)
from auscult.cli.output import command, counted, exit_with_1, paragraph
from auscult.cli.settings import setting
from auscult.cli.verify_options import verify_options
from auscult.core import Annotation, FormatError, Note, OptionError, Status
from auscult.core.names import require_known

if TYPE_CHECKING:
    from auscult.corpus import Corpus
    from auscult.corpus.formats import Loss
    from auscult.engine import Engine
    from auscult.models.categories import Categories
    from auscult.models.predicting import Prediction
    from auscult.models.verify import VerifiedResult, Verifier

_STANDARD = "-"
_NEAREST = 5
"""Codes below the threshold that the terminal names."""
_SAYS = 0.05
"""The score from which it names them."""
_FILES = (".csv", ".json", ".parquet", ".tsv", ".xml", ".xmi", ".gz", ".zip")


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("source", metavar="INPUT")
@click.argument("out")
@splits
@sign_as(said="the model's name")
@click.option(
    "--codes-of",
    "gold",
    metavar="ANNOTATOR",
    help="Also write evidence for this annotator's codes.",
)
@click.option("--never-empty", is_flag=True, help="Predict the best code if none passes.")
@click.option(
    "--ranked",
    metavar="N|all",
    default="0",
    help="Also write the next N codes of each chart.",
)
@code_threshold
@click.option(
    "--evidence-threshold",
    metavar="P",
    type=click.FloatRange(0, 1),
    help="Minimum word weight.  [default: tuned]",
)
@click.option(
    "--explain",
    type=click.Choice(["attention", "attingrad", "integrated-gradients"]),
    metavar="METHOD",
    help="attention, attingrad or integrated-gradients.",
)
@click.option(
    "--overlapping-spans",
    "alternatives",
    is_flag=True,
    help="Also write spans that overlap better ones.",
)
@click.option(
    "--default-category", "category", metavar="NAME", help="Category of notes that have none."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["corpus", "jsonl", "mdace"]),
    metavar="NAME",
    help="corpus, jsonl or mdace.  [default: by OUT's name]",
)
@click.option(
    "--spans-of", metavar="ANNOTATOR", help="Entity linking: link spans of this annotator."
)
@click.option(
    "--spans-by",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="MODEL",
    help="Entity linking: spans of this model; repeatable.",
)
@vocabulary("as in training")
@inference_settings
@partition_option
@overwrite
@command
@verify_options
@on_engine
def predict(
    model: Path,
    source: str,
    out: str,
    splits: tuple[str, ...],
    sign_as: str | None,
    gold: str | None,
    never_empty: bool,
    ranked: str,
    threshold: float | None,
    evidence_threshold: float | None,
    explain: str | None,
    alternatives: bool,
    category: str | None,
    form: str | None,
    spans_of: str | None,
    spans_by: tuple[Path, ...],
    vocabulary: Path | None,
    settings: tuple[str, ...],
    partition: int,
    overwrite: bool,
    engine: Engine,
    verifier: Verifier | None,
) -> Any:
    """Run inference: write codes and evidence, or entities, of INPUT to OUT.

    MODEL is a trained model's folder, or codebook, which needs no training.
    INPUT is a corpus, a file or folder of notes, or - for standard input.
    OUT is a corpus, a .jsonl file, a folder of MDACE files, or - for the terminal.

    Plain text is read as the note category with the most training evidence. The same command
    resumes after an interruption. Exit code 1: no note was read.

    \b
    Example:
      auscult predict model corpus predicted --split test
      auscult predict codebook - - < note.txt
      auscult predict linker concepts linked --split test --spans-by tagger
      auscult predict codebook notes coded --verify URL --verify-model qwen3
    """
    from auscult.models.predicting import (
        can_score,
        categories_of,
        check_explainer,
        check_settings,
        predicted,
    )
    from auscult.models.ready_made import model_folder
    from auscult.models.verify.run import was_rejected

    named, model = model, model_folder(model, vocabulary)
    if out == _STANDARD and form is not None:
        raise OptionError(
            f"--format {form} needs a file or folder as OUT; for the terminal, use --json."
        )
    if form is None and Path(out).suffix in _FILES:
        raise OptionError(
            f"{out} looks like a file, and a corpus is a folder. Choose a name without a suffix, "
            "one that ends in .jsonl for JSON lines, or another --format."
        )
    if out != _STANDARD:
        _check_target(Path(out), form, overwrite=overwrite)
    if verifier is not None and not can_score(model):
        raise OptionError(
            f"--verify checks codes of ICD-10-CM, but {named} annotates entities. Leave it out."
        )
    if explain is not None:
        check_explainer(model, explain)
    inference = dict(map(setting, settings))
    check_settings(model, inference)
    reads = categories_of(model, category)
    corpus = _open(source, reads.usual)
    if splits:
        there = corpus.lazy_notes.select("split").unique().collect()["split"].drop_nulls().to_list()
        for split in splits:
            require_known(split, there, "split")
    place = None if out == _STANDARD else Path(out)
    how = _how(
        corpus, model.absolute(), sign_as, gold, never_empty, ranked,
        (threshold, evidence_threshold), alternatives, spans_of, spans_by, vocabulary,
    )  # fmt: skip
    if corpus.path is not None:  # a text is a note of that category already
        how = replace(how, category=category)
    how = replace(how, explain=explain, settings=inference)
    is_peeking = False
    if place is None and how.ranked == 0 and can_score(model):
        how, is_peeking = replace(how, ranked=_NEAREST), True
    with predicted(corpus, how, place, engine, splits=splits, notes=partition) as (found, counts):
        if counts["empty"] == counts["charts"]:
            exit_with_1()
        said: dict[str, Any] = {"model": str(named), **_counted(counts), "read_as": reads.usual}
        verified: VerifiedResult | None = None
        if verifier is not None:
            from auscult.models.verify import verify_corpus

            found, verified = verify_corpus(found, verifier)
            said |= {**_given(verified.annotations), "verified": verified.to_dict()}
        if place is None:
            notes, made = list(found.iter_notes()), list(found.iter_annotations(every_status=True))
            below: list[Annotation] = []
            taken_back = [one for one in made if was_rejected(one)]
            if is_peeking:
                ranked_codes = (one for one in made if one.status is Status.RANKED)
                below = [one for one in ranked_codes if not was_rejected(one)]
                made = [one for one in made if one.status is not Status.RANKED]
            said["predicted"] = [annotation.to_dict() for annotation in made]
            said["annotations"] = len(made)

            def show() -> None:
                _show(notes, made, below, reads, {one.chart_id for one in taken_back})
                if verified is not None:
                    _say_verified(verified, taken_back)

            return said, show
        losses = _write(found, place, form, overwrite=overwrite)
    said |= {"out": out, "losses": [loss.to_dict() for loss in losses]}

    def say() -> None:
        click.echo(f"{out}: {_summary(said)}")
        if verified is not None:
            _say_verified(verified)
        say_losses(losses)

    return said, say


def _how(
    corpus: Corpus, model: Path, annotator: str | None, gold: str | None, never_empty: bool,
    ranked: str, thresholds: tuple[float | None, float | None], alternatives: bool,
    spans_of: str | None, spans_by: Sequence[Path], vocabulary: Path | None,
) -> Prediction:  # fmt: skip
    """How to run the model, from the options."""
    from auscult.core.digests import directory_digest
    from auscult.models.predicting import AnnotatorSource, Prediction

    if spans_of is not None and spans_by:
        raise OptionError("Pass either --spans-of or --spans-by, not both.")
    code_threshold, evidence_threshold = thresholds
    return Prediction(
        model,
        directory_digest(model),
        annotator,
        code_threshold=code_threshold,
        evidence_threshold=evidence_threshold,
        codes_of=AnnotatorSource.of(corpus, gold) if gold else None,
        never_empty=never_empty,
        ranked=_how_many(ranked),
        alternatives=alternatives,
        vocabulary=vocabulary and vocabulary.absolute(),
        spans_of=AnnotatorSource.of(corpus, spans_of) if spans_of else None,
        spans_by=[(path.absolute(), directory_digest(path)) for path in spans_by],
    )


def _counted(counts: Mapping[str, int]) -> dict[str, int]:
    of_charts = ("charts", "notes", "codes", "codes_with_evidence", "annotations")
    of_notes = ("notes", "annotations")
    return {
        **{name: counts[name] for name in (of_charts if "codes" in counts else of_notes)},
        "charts_unread": counts["empty"],
        "notes_without_category": counts["uncategorized"],
    }


def _given(annotations: Sequence[Annotation]) -> dict[str, int]:
    """The counts of codes that were given, which a verifier changes."""
    given = [one for one in annotations if one.status is Status.GIVEN]
    return {
        "codes": len({(one.chart_id, one.code) for one in given}),
        "codes_with_evidence": len({(one.chart_id, one.code) for one in given if one.spans}),
        "annotations": len(annotations),
    }


def _say_verified(result: VerifiedResult, taken_back: Sequence[Annotation] = ()) -> None:
    """What the verifier did, and the codes that it took back."""
    from auscult.models.verify.run import VERDICT

    codes = dict.fromkeys(f"{one.code.value} ({one.meta[VERDICT]})" for one in taken_back)
    if codes:
        paragraph(f"Taken back by the verifier: {'; '.join(codes)}")
    paragraph(str(result))


def _summary(said: Mapping[str, Any]) -> str:
    if "codes" not in said:
        return f"{counted(said['annotations'], 'annotation')} on {counted(said['notes'], 'note')}"
    return (
        f"{counted(said['codes'], 'code')} for {counted(said['charts'], 'chart')}, "
        f"{said['codes_with_evidence']:,} with evidence"
    )


def _open(source: str, category: str | None) -> Corpus:
    """The corpus at a place, or one of the texts there, which are notes of the category."""
    from auscult.corpus import Corpus
    from auscult.corpus.corpus import locate_manifest
    from auscult.corpus.documents import read_documents

    path = Path(source)
    if source != _STANDARD and (not path.exists() or locate_manifest(path).exists()):
        return Corpus.open(path)
    found = read_documents(source, category=category)
    if found.unread:
        raise FormatError(str(found.unread[0]))
    return Corpus.of(found.notes)


def _how_many(ranked: str) -> int | None:
    if ranked == "all":
        return None
    if not ranked.isdecimal():
        raise OptionError(f"--ranked takes a whole number, or all; got {ranked!r}.")
    return int(ranked)


def _check_target(out: Path, form: str | None, *, overwrite: bool) -> None:
    """An error before anything is coded that could not be written."""
    from auscult.core import storage
    from auscult.corpus.corpus import check_target

    form = form or _form_of(out)
    if form == "corpus":
        check_target(out, overwrite=overwrite)
    elif out.exists() and not overwrite:
        raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")
    else:
        storage.check_kind(out, is_folder=form != "jsonl")


def _form_of(out: Path) -> str:
    return "jsonl" if out.suffix == ".jsonl" else "corpus"


def _write(predicted: Corpus, out: Path, form: str | None, *, overwrite: bool) -> list[Loss]:
    """Write what was predicted, and say what the format could not hold of it."""
    from auscult.core import storage
    from auscult.corpus import formats
    from auscult.corpus.formats.jsonl import write_annotations

    form = form or _form_of(out)
    if form == "corpus":
        predicted.write(out, overwrite=overwrite)
    elif form == "jsonl":
        with storage.drafted(out, overwrite=overwrite) as draft:
            write_annotations(predicted.lazy_all_annotations, draft)
    else:
        return formats.write(form, predicted, out, overwrite=overwrite)
    return []


def _show(
    notes: Sequence[Note],
    made: Sequence[Annotation],
    below: Sequence[Annotation],
    reads: Categories,
    rejected: Collection[str] = (),
) -> None:
    """Charts with their codes, and those that came nearest to the threshold from below.

    Of the charts in `rejected`, a verifier took back codes that had reached it.
    """
    from auscult.cli.show import say_chart
    from auscult.codes import describe
    from auscult.core.tokens import tokens
    from auscult.corpus import Chart
    from auscult.models.chart_inputs import by_chart

    mine: dict[str, list[Annotation]] = {}
    for annotation in made:
        mine.setdefault(annotation.chart_id, []).append(annotation)
    for chart in by_chart(notes):
        chart_id = chart[0].chart_id
        said = tuple(mine.get(chart_id, ()))
        say_chart(Chart(chart_id, chart, said))
        read = list(reads.chosen(chart))
        if not any(True for note in read for _ in tokens(note.text or "")):
            which = "notes have no text" if read else "model was not trained on this category"
            click.echo(f"The model could not read any note: the {which}.")
            continue
        if chart_id not in rejected and not any(one.status is Status.GIVEN for one in said):
            click.echo(
                "No code reached the threshold. Notes unlike the training data get few codes."
            )
        mine_below = [one for one in below if one.chart_id == chart_id]
        near = {a.code: a.score for a in mine_below if a.score is not None and a.score >= _SAYS}
        if near:
            listed = (
                f"{code.value} {describe(code) or code.system} {score:.2f}"
                for code, score in near.items()
            )
            click.echo(f"Below the threshold (--threshold): {'; '.join(listed)}")
    sys.stdout.flush()
