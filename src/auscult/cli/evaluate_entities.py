"""`auscult evaluate entities`: concepts in text, of any number of systems, against gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.output import command
from auscult.core import OptionError
from auscult.core.names import require_known
from auscult.core.version import __version__

if TYPE_CHECKING:
    from auscult.corpus import Corpus

F = TypeVar("F", bound=Callable[..., Any])
_path = click.Path(path_type=Path)
_SETTINGS = (
    click.option(
        "--rule",
        default="any",
        show_default=True,
        metavar="RULE",
        help="How a span of a subset is right: any, first, exact_set, set_f1, lenient, span, "
        "span_overlap, hierarchy_path, hierarchy_f1. All of them are shown over all spans.",
    ),
    click.option(
        "--direct",
        type=click.Choice(["vocabulary", "concept"]),
        default="vocabulary",
        show_default=True,
        help="A direct match is a name of any concept, or of one of gold's.",
    ),
    click.option(
        "--popular",
        type=click.Choice(["training", "gold"]),
        default="training",
        show_default=True,
        help="Where it is judged what a text is more often mapped to.",
    ),
    click.option(
        "--silence",
        type=click.Choice(["wrong", "cui-less"]),
        default="wrong",
        show_default=True,
        help="What giving nothing on a gold span says when its concept is asked for.",
    ),
    click.option(
        "--cui-less",
        type=click.Choice(["paper", "count", "ignore"]),
        default="paper",
        show_default=True,
        help="Whether CUI-less spans are asked about: in accuracies only, everywhere, nowhere.",
    ),
    click.option("--match-case", is_flag=True, help="A text in another case is another text."),
    click.option("--keep-possessives", is_flag=True, help='"her diabetes" is not "diabetes".'),
    click.option(
        "--top",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="How many training concepts are the most frequent.",
    ),
    click.option(
        "--least",
        type=click.IntRange(1),
        default=50,
        show_default=True,
        help="Spans that a semantic type needs to be shown.",
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
    help="The corpus that systems learnt from, for what is "
    "unseen; by default the split train of GOLD, where --split names another.",
)
@click.option("--train-annotator", help="Whose concepts in it, when it has several annotators.")
@click.option("--vocabulary", type=_path, help="For direct matches, semantic types, hierarchy.")
@click.option(
    "--annotator",
    "annotators",
    multiple=True,
    help="Whose annotations are gold; several are taken together.",
)
@click.option("--split", help="Only this split of GOLD.")
@click.option("--note-category", multiple=True, help="Only notes of this category; repeatable.")
@click.option(
    "--notes",
    type=click.Choice(["gold", "annotated"]),
    default="gold",
    show_default=True,
    help="Notes that GOLD holds, or only those it has annotations on.",
)
@_all_options
@click.option(
    "--bootstrap",
    "times",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="Resamples of the notes for the intervals; 0 for none.",
)
@click.option("--seed", default=0, show_default=True)
@click.option("--errors", type=_path, help="Write every wrong span with its cause to this CSV.")
@click.option("--report", type=_path, help="Write a page; it quotes the notes.")
@click.option("--overwrite", is_flag=True, help="Replace the files that are there.")
@command
def entities(
    gold: Path,
    systems: tuple[str, ...],
    train: Path | None,
    train_annotator: str | None,
    vocabulary: Path | None,
    annotators: tuple[str, ...],
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
    """Say which concepts systems find in text and which they know, and where each of them fails.

    SYSTEM is a corpus of the system's annotations, on GOLD's notes; where it has several
    annotators, each of them but gold's is a system. Systems that were given the spans and systems
    that found them are measured alike: see "rules" for both.

    \b
    Example:
      auscult evaluate entities mcn lookup tagger --split test --vocabulary umls
      auscult evaluate entities gold ctakes=a metamap=b --train train --report entities.html
    """
    from auscult.codes.vocabulary import Vocabulary
    from auscult.evaluate import Charts, open_side
    from auscult.evaluate.entities import as_one, evaluate_entities

    for file in (errors, report):
        if file is not None and file.exists() and not overwrite:
            raise OptionError(f"{file} exists already. Choose another name, or pass --overwrite.")
    held = open_side(gold)
    whose = annotators[0] if annotators else _only(held)
    if len(annotators) > 1:
        _require_annotators(held, annotators)
        held, whose = as_one(held, annotators), " + ".join(annotators)
    result = evaluate_entities(
        held,
        _systems(systems, {whose, *annotators}),
        train=_training(train, train_annotator, held, whose, split),
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
    about = {
        "auscult": __version__,
        "gold": str(gold),
        "systems": list(systems),
        "train": None if train is None else str(train),
        "vocabulary": None if vocabulary is None else str(vocabulary),
        "annotator": whose,
        "split": split,
        "note_category": list(note_category),
        "notes": notes,
        "bootstrap": times,
        "seed": seed,
    }
    found: dict[str, Any] = {**result.to_dict(), "about": about}
    if errors is not None:
        result.errors().write_csv(errors)
        found["errors"] = str(errors)
    if report is not None:
        from auscult.report.entities_report import entities_report

        entities_report(
            result, report, name=held.manifest.name or gold.name, access=held.manifest.access or ""
        )
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


def _systems(given: tuple[str, ...], gold: set[str | None]) -> dict[str, Corpus]:
    """The systems by name, given or the file's; each annotator where there are several."""
    from auscult.evaluate import open_side
    from auscult.evaluate.sides import annotators_of

    found: dict[str, Corpus] = {}
    for one in given:
        name, equals, path = one.partition("=")
        is_named = bool(equals) and not Path(one).exists()
        if not is_named:
            name, path = Path(one).stem, one
        corpus = open_side(Path(path))
        known = annotators_of(corpus)
        theirs = [who for who in known if who not in gold] if len(known) > 1 else known
        if len(known) > 1 and not theirs:
            raise OptionError(f"{path} has annotations of gold's annotators only, and no system's.")
        for who in theirs or [""]:
            called = name
            if len(theirs) > 1 or (len(known) > 1 and not is_named):
                called = who if len(given) == 1 and not is_named else f"{name}/{who}"
            if called in found:
                raise OptionError(
                    f"Two systems are called {called}. Name them: evaluate entities GOLD a={path} …"
                )
            found[called] = corpus.select(annotators=[who]) if who else corpus
    return found


def _training(
    train: Path | None,
    train_annotator: str | None,
    gold: Corpus,
    annotator: str | None,
    split: str | None,
) -> Corpus | None:
    from auscult.evaluate import open_side
    from auscult.evaluate.sides import only_annotator

    if train is not None:
        return only_annotator(open_side(train), train_annotator, "--train", "--train-annotator")[0]
    if split in (None, "train") or annotator is None:
        return None
    part = gold.select(annotators=[annotator], splits=["train"])
    return part if part.annotations.head(1).collect().height else None


def _only(corpus: Corpus) -> str | None:
    """The only annotator of gold; when there are several, which counts has to be said."""
    from auscult.evaluate.sides import only_annotator

    return only_annotator(corpus, None, "GOLD", "--annotator")[1]


def _require_annotators(corpus: Corpus, names: tuple[str, ...]) -> None:
    from auscult.evaluate.sides import annotators_of

    known = annotators_of(corpus)
    for name in names:
        require_known(name, known, "annotator in GOLD")
