"""Options alike mean alike: one name has one meaning, one help text and one type everywhere."""

from __future__ import annotations

import re
from collections import defaultdict

import click
import pytest
from tests.cli.test_commands import all_commands

from auscult.cli.main import auscult
from auscult.models import CODING_MODELS, ENTITY_MODELS

WORDINGS = {
    "--annotator": {
        "Use this annotator's annotations",
        "Annotator who has read the charts",  # mark-read: it may have no annotations yet
    },
    "--split": {
        "Only this split",
        "Only this split, or all",
        "Only this split, or the chart ids in this file",
    },
    "--key": {  # one file, written and read
        "Also write an encrypted key file that can reverse it. Prompts for a passphrase, or reads "
        "AUSCULT_DEID_PASSPHRASE",
        "Key file that was written with CORPUS",
    },
    "--system": {"Only codes of this system", "Code system of CODES"},
    "--bootstrap": {
        f"Bootstrap resamples of {what}; 0 for none" for what in ("charts", "notes", "pairs")
    },
    "--model": {  # what is trained, and what was
        "Architecture; by default one is chosen for the corpus, with reasons. Codes: "
        f"{', '.join(CODING_MODELS)}. Entities (NER, entity linking): "
        f"{', '.join(ENTITY_MODELS)}. Or a plug-in",
        "Model to use: codebook, or a trained model's folder",
        "Architecture to train, as for auscult train",
    },
    "--layer": {
        "Span layer with the codes",
        "Span layer with the codes: Code, which is lossless and has to be created in the project "
        "first, or NamedEntity, which every project has",
    },
    "--set": {"Hyperparameter, over --config", "Inference setting that overrides the model's own"},
}
"""Options whose one meaning is worded by command."""

Uses = dict[str, list[tuple[str, click.Option]]]


@pytest.fixture(scope="module")
def uses() -> Uses:
    """Every option with the commands that have it; the demo is a command of its own kind."""
    found: Uses = defaultdict(list)
    for path, command in all_commands(auscult):
        if path[:1] == ("demo",):
            continue
        for option in command.params:
            if isinstance(option, click.Option):
                for name in (*option.opts, *option.secondary_opts):
                    found[name].append((" ".join(path), option))
    return found


def _meaning(option: click.Option) -> str:
    """The help text, but for the default and whether it can be repeated."""
    said = re.sub(r"  \[default: .*\]$", "", option.help or "")
    return said.removesuffix(".").removesuffix("; repeatable")


def _kind(option: click.Option) -> str:
    return "flag" if option.is_flag else option.type.name.removesuffix(" range")


def test_an_option_has_one_meaning_in_all_commands(uses: Uses) -> None:
    told = {name: {_meaning(option) for _, option in at} for name, at in uses.items()}
    several = {name: said for name, said in told.items() if len(said) > 1}
    assert {name: said for name, said in several.items() if said - WORDINGS.get(name, set())} == {}


def test_no_wording_is_left_over(uses: Uses) -> None:
    for name, said in WORDINGS.items():
        assert said == {_meaning(option) for _, option in uses[name]}, name


def test_an_option_takes_the_same_everywhere(uses: Uses) -> None:
    # A command that takes fewer code systems, or layers, lists them.
    listed = {"--to", "--layer"}
    kinds = {name: {_kind(option) for _, option in at} for name, at in uses.items()}
    assert {
        name: kind for name, kind in kinds.items() if len(kind) > 1 and name not in listed
    } == {}


def test_an_option_has_one_name(uses: Uses) -> None:
    aliases = {
        path: option.opts
        for at in uses.values()
        for path, option in at
        if sum(name.startswith("--") for name in option.opts) > 1
    }
    assert aliases == {}


def test_a_help_text_belongs_to_one_option(uses: Uses) -> None:
    """Equal meanings have equal names."""
    names = defaultdict(set)
    for name, at in uses.items():
        for _, option in at:
            if not option.secondary_opts:
                names[_meaning(option)].add(name)
    assert {said: several for said, several in names.items() if len(several) > 1} == {}
