"""`auscult evaluate entities`: named entity recognition and entity linking against gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.inputs import opened_side
from auscult.cli.options import (
    annotators,
    bootstrap,
    match_case,
    note_category,
    overwrite,
    report,
    seed,
    split,
    train_annotator,
    train_corpus,
    vocabulary,
)
from auscult.cli.output import command
from auscult.core import OptionError
from auscult.core.names import require_known

if TYPE_CHECKING:
    from auscult.corpus import Corpus

F = TypeVar("F", bound=Callable[..., Any])
_path = click.Path(path_type=Path)
_SETTINGS = (
    click.option(
        "--rule",
        default="any",
        metavar="RULE",
        help="Matching rule: any (default), first, exact_set, set_f1, lenient, span, span_overlap, "
        "hierarchy_path, hierarchy_f1.",
    ),
    click.option(
        "--direct-match",
        type=click.Choice(["vocabulary", "concept"]),
        default="vocabulary",
        show_default=True,
        help="A name of any concept, or of the gold concept.",
    ),
    click.option(
        "--sense-counts",
        type=click.Choice(["training", "gold"]),
        default="training",
        show_default=True,
        help="Corpus that decides a term's most frequent sense.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["wrong", "cui-less"]),
        default="wrong",
        show_default=True,
        help="Score of a missing prediction.",
    ),
    click.option(
        "--cui-less",
        type=click.Choice(["paper", "count", "ignore"]),
        default="paper",
        show_default=True,
        help="Score CUI-less spans in accuracy only, everywhere, nowhere.",
    ),
    match_case,
    click.option("--keep-possessives", is_flag=True, help='Tell "her diabetes" from "diabetes".'),
    click.option(
        "--top-concepts",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        metavar="N",
        help="Frequent concepts.",
    ),
    click.option(
        "--min-type-spans",
        type=click.IntRange(1),
        default=50,
        show_default=True,
        metavar="N",
        help="Minimum spans per type.",
    ),
)


def _all_options(function: F) -> F:
    for option in reversed(_SETTINGS):
        function = option(function)
    return function


@click.command("entities")
@click.argument("gold", type=_path)
@click.argument("systems", nargs=-1, required=True, metavar="[NAME=]SYSTEM...")
@train_corpus
@train_annotator
@click.option("--train-split", help="Training split.")
@vocabulary()
@annotators()
@click.option(
    "--system-annotator",
    "system_annotators",
    multiple=True,
    help="Annotator to evaluate; repeatable.",
)
@split()
@note_category
@click.option(
    "--notes",
    type=click.Choice(["annotated", "all"]),
    default="annotated",
    show_default=True,
    help="Notes read by the annotator, or all.",
)
@_all_options
@bootstrap("notes")
@seed
@click.option("--errors", type=_path, help="Write errors to a CSV file.")
@report
@overwrite
@command
def entities(
    gold: Path,
    systems: tuple[str, ...],
    train: Path | None,
    train_annotator: str | None,
    train_split: str | None,
    vocabulary: Path | None,
    annotators: tuple[str, ...],
    system_annotators: tuple[str, ...],
    split: str | None,
    note_category: tuple[str, ...],
    notes: str,
    rule: str,
    times: int,
    seed: int,
    errors: Path | None,
    report: Path | None,
    overwrite: bool,
    **chosen: Any,
) -> Any:
    """Evaluate named entity recognition (NER) and entity linking, with an error analysis.

    SYSTEM is a corpus of annotations on GOLD's notes; each of its annotators is a system, except
    those of GOLD. Report and errors quote the notes.

    \b
    Example:
      auscult evaluate entities mcn lookup tagger --split test --vocabulary umls
      auscult evaluate entities gold ctakes=a metamap=b --train-corpus train --report entities.html
      auscult evaluate entities both both --annotator ann --system-annotator bob
    """
    from contextlib import ExitStack

    from auscult.codes.vocabulary import Vocabulary
    from auscult.core.storage import drafted
    from auscult.evaluate import CountedCharts
    from auscult.evaluate.entities import as_one, evaluate_entities

    _check_targets([file for file in (errors, report) if file is not None], overwrite)
    held = opened = opened_side(gold)
    whose = annotators[0] if annotators else _only(held)
    if len(annotators) > 1:
        _require_annotators(held, annotators)
        held, whose = as_one(held, annotators), " + ".join(annotators)
    result = evaluate_entities(
        held,
        _systems(systems, opened, [a for a in (whose, *annotators) if a], system_annotators),
        train=_training(train, train_annotator, train_split, held, whose, split),
        vocabulary=None if vocabulary is None else Vocabulary.open(vocabulary),
        rule=rule,
        settings=_settings(chosen),
        annotator=whose,
        split=split,
        note_category=note_category,
        charts=CountedCharts(notes),
        times=times,
        seed=seed,
    )
    learned = train or (gold if result.about["train"] else None)
    about = {
        **result.about,
        "paths": {
            "gold": str(gold),
            "systems": list(systems),
            "train": None if learned is None else str(learned),
            "vocabulary": None if vocabulary is None else str(vocabulary),
        },
        "train_split": train_split or (None if train or not learned else "train"),
    }
    result = replace(result, about=about)
    found = result.to_dict()
    with ExitStack() as both:
        # Neither file is there before the other could be written.
        if errors is not None:
            table = both.enter_context(drafted(errors, overwrite=True))
            result.errors().write_csv(table)
            found["errors"] = str(errors)
        if report is not None:
            from auscult.report.entities_report import entities_report

            name = held.manifest.name or gold.name
            entities_report(result, report, name=name, access=held.manifest.access or "")
            found["report"] = str(report)

    def say() -> None:
        from auscult.cli.entities_tables import say_entities

        say_entities(result)
        for file in (errors, report):
            if file is not None:
                click.echo(f"\nWrote {file}.")

    return found, say


def _settings(chosen: Mapping[str, Any]) -> Any:
    from auscult.evaluate.entities import CuiLess, Direct, EntitySettings, Popular, Silence

    return EntitySettings(
        direct=Direct(chosen["direct_match"]),
        popular=Popular(chosen["sense_counts"]),
        silence=Silence(chosen["missing"]),
        cui_less=CuiLess(chosen["cui_less"]),
        fold_case=not chosen["match_case"],
        strip_possessives=not chosen["keep_possessives"],
        top=chosen["top_concepts"],
        least=chosen["min_type_spans"],
    )


def _check_targets(files: list[Path], overwrite: bool) -> None:
    for file in files:
        if file.exists() and not overwrite:
            raise OptionError(f"{file} exists already. Choose another name, or pass --overwrite.")
        if not file.parent.is_dir():
            raise OptionError(
                f"{file} cannot be written: there is no folder {file.parent}. Create it first."
            )


def _systems(
    given: tuple[str, ...], gold: Corpus, annotators: list[str], only: tuple[str, ...]
) -> dict[str, Corpus]:
    """The systems by name, given or the file's; each annotator where there are several."""
    from auscult.corpus.annotators import annotators_of
    from auscult.evaluate.entities import systems_in

    found: dict[str, Corpus] = {}
    for one in given:
        name, equals, path = one.partition("=")
        is_named = bool(equals) and not Path(one).exists()
        if not is_named:
            name, path = Path(one).stem, one
        corpus = opened_side(Path(path))
        theirs = systems_in(corpus, gold, annotators, only=only, called=path)
        for who, said in theirs.items():
            called = name
            if len(theirs) > 1 or (len(annotators_of(corpus)) > 1 and not is_named):
                called = who if len(given) == 1 and not is_named else f"{name}/{who}"
            if called in found:
                raise OptionError(
                    f"Two systems are named {called}. Name them: evaluate entities GOLD a={path} …"
                )
            found[called] = said
    return found


def _training(
    train: Path | None,
    train_annotator: str | None,
    train_split: str | None,
    gold: Corpus,
    annotator: str | None,
    split: str | None,
) -> Corpus | None:
    from auscult.evaluate.entities import training_in
    from auscult.evaluate.sides import only_annotator

    if train is None:
        return training_in(gold, annotator, split, train_split)
    opened = opened_side(train)
    if train_split is not None:
        known = opened.lazy_notes.select("split").unique().drop_nulls().collect()["split"].to_list()
        require_known(train_split, known, "split in --train-corpus")
        opened = opened.select(splits=[train_split])
    return only_annotator(opened, train_annotator, "--train-corpus", "--train-annotator")[0]


def _only(corpus: Corpus) -> str | None:
    """The only annotator of gold; an error if there are several."""
    from auscult.evaluate.sides import only_annotator

    return only_annotator(corpus, None, "GOLD", "--annotator")[1]


def _require_annotators(corpus: Corpus, names: tuple[str, ...]) -> None:
    from auscult.corpus.annotators import annotators_of

    known = annotators_of(corpus)
    for name in names:
        require_known(name, known, "annotator in GOLD")
