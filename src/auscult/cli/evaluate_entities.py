"""`auscult evaluate entities`: concepts in text, of any number of systems, against gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.options import bootstrap, note_category, seed
from auscult.cli.output import command
from auscult.cli.sides import opened_side
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
        help="Right is: any by default, first, exact_set, set_f1, lenient, span, span_overlap, "
        "hierarchy_path, hierarchy_f1.",
    ),
    click.option(
        "--direct",
        type=click.Choice(["vocabulary", "concept"]),
        default="vocabulary",
        show_default=True,
        help="A name of any concept, or of gold's.",
    ),
    click.option(
        "--popular",
        type=click.Choice(["training", "gold"]),
        default="training",
        show_default=True,
        help="Where what is usual is counted.",
    ),
    click.option(
        "--silence",
        type=click.Choice(["wrong", "cui-less"]),
        default="wrong",
        show_default=True,
        help="What giving nothing says.",
    ),
    click.option(
        "--cui-less",
        type=click.Choice(["paper", "count", "ignore"]),
        default="paper",
        show_default=True,
        help="Ask about CUI-less spans in accuracies only, everywhere, or nowhere.",
    ),
    click.option("--match-case", is_flag=True, help="A text in another case is another text."),
    click.option("--keep-possessives", is_flag=True, help='"her diabetes" is not "diabetes".'),
    click.option(
        "--top",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        metavar="N",
        help="Concepts called frequent.",
    ),
    click.option(
        "--least",
        type=click.IntRange(1),
        default=50,
        show_default=True,
        metavar="N",
        help="Least spans of a type.",
    ),
)


def _all_options(function: F) -> F:
    for option in reversed(_SETTINGS):
        function = option(function)
    return function


@click.command("entities")
@click.argument("gold", type=_path)
@click.argument("systems", nargs=-1, required=True, metavar="[NAME=]SYSTEM...")
@click.option(
    "--train",
    type=_path,
    help="What systems learnt from, for what is unseen  [default: the split train of GOLD]",
)
@click.option("--train-annotator", help="Whose concepts in it, of several.")
@click.option("--train-split", help="Only this split of it, or of GOLD.")
@click.option("--vocabulary", type=_path, help="For direct matches, types, hierarchy.")
@click.option(
    "--annotator",
    "annotators",
    multiple=True,
    help="Whose concepts are gold; repeatable.",
)
@click.option(
    "--system-annotator",
    "system_annotators",
    multiple=True,
    help="Whose annotations are systems; repeatable  [default: all but GOLD's]",
)
@click.option("--split", help="Only this split of GOLD.")
@note_category
@click.option(
    "--notes",
    type=click.Choice(["annotated", "gold"]),
    default="annotated",
    show_default=True,
    help="Notes read by the gold annotator, or all notes in GOLD.",
)
@_all_options
@bootstrap("notes")
@seed
@click.option("--errors", type=_path, help="Write wrong spans to a CSV.")
@click.option("--report", type=_path, help="Write a page; it quotes the notes.")
@click.option("--overwrite", is_flag=True, help="Replace the files that are there.")
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
    """Say which concepts systems find and know, and where each of them fails.

    SYSTEM is a corpus of annotations on GOLD's notes; of several annotators, each who did not
    annotate GOLD too is a system.

    \b
    Example:
      auscult evaluate entities mcn lookup tagger --split test --vocabulary umls
      auscult evaluate entities gold ctakes=a metamap=b --train train --report entities.html
      auscult evaluate entities both both --annotator ann --system-annotator bob
    """
    from contextlib import ExitStack

    from auscult.codes.vocabulary import Vocabulary
    from auscult.core.storage import drafted
    from auscult.evaluate import Charts
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
        charts=Charts(notes),
        times=times,
        seed=seed,
    )
    learnt = train or (gold if result.about["train"] else None)
    about = {
        **result.about,
        "paths": {
            "gold": str(gold),
            "systems": list(systems),
            "train": None if learnt is None else str(learnt),
            "vocabulary": None if vocabulary is None else str(vocabulary),
        },
        "train_split": train_split or (None if train or not learnt else "train"),
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
                click.echo(f"\n{file} is written.")

    return found, say


def _settings(chosen: Mapping[str, Any]) -> Any:
    from auscult.evaluate.entities import CuiLess, Direct, Popular, Settings, Silence

    return Settings(
        direct=Direct(chosen["direct"]),
        popular=Popular(chosen["popular"]),
        silence=Silence(chosen["silence"]),
        cui_less=CuiLess(chosen["cui_less"]),
        fold_case=not chosen["match_case"],
        strip_possessives=not chosen["keep_possessives"],
        top=chosen["top"],
        least=chosen["least"],
    )


def _check_targets(files: list[Path], overwrite: bool) -> None:
    for file in files:
        if file.exists() and not overwrite:
            raise OptionError(f"{file} exists already. Choose another name, or pass --overwrite.")
        if not file.parent.is_dir():
            raise OptionError(
                f"{file} cannot be written: there is no folder {file.parent}. Make it first, or "
                "choose another place."
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
                    f"Two systems are called {called}. Name them: evaluate entities GOLD a={path} …"
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
        known = opened.notes.select("split").unique().drop_nulls().collect()["split"].to_list()
        require_known(train_split, known, "split in --train")
        opened = opened.select(splits=[train_split])
    return only_annotator(opened, train_annotator, "--train", "--train-annotator")[0]


def _only(corpus: Corpus) -> str | None:
    """The only annotator of gold; when there are several, which counts has to be said."""
    from auscult.evaluate.sides import only_annotator

    return only_annotator(corpus, None, "GOLD", "--annotator")[1]


def _require_annotators(corpus: Corpus, names: tuple[str, ...]) -> None:
    from auscult.corpus.annotators import annotators_of

    known = annotators_of(corpus)
    for name in names:
        require_known(name, known, "annotator in GOLD")
