"""The models, the format and the metric that docs/extend.md shows, added as a user would."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.contracts import test_models
from tests.contracts.test_models import ward

from auscult import models
from auscult.cli.main import auscult
from auscult.core import AuscultError, FormatError, OptionError, PluginError
from auscult.corpus import Corpus, formats
from auscult.evaluate import pair
from auscult.evaluate.metrics import registry
from auscult.evaluate.metrics.from_sides import metric
from auscult.models.chart_scoring import EvidenceWeights, ScoredChart
from auscult.models.fitting import fit
from auscult.models.model import Model

_PAGE = (Path(__file__).parents[2] / "docs" / "extend.md").read_text(encoding="utf-8")
_LONGEST = 30


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", _PAGE, re.DOTALL)


def _install(folder: Path, name: str, modules: dict[str, str], project: str) -> None:
    """What pip leaves behind of a package: its modules, and its entry points beside them."""
    points = tomllib.loads(project)["project"]["entry-points"]
    about = folder / f"{name.replace('-', '_')}-0.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    lines = (
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in inside.items())
        for group, inside in points.items()
    )
    (about / "entry_points.txt").write_text("\n".join(lines))
    for module, code in modules.items():
        (folder / f"{module}.py").write_text(code, encoding="utf-8")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to install into."""
    folder = tmp_path / "installed"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for module in set(sys.modules) - before:
        if str(getattr(sys.modules[module], "__file__", "")).startswith(str(folder)):
            del sys.modules[module]


@pytest.fixture
def installed(path: Path) -> None:
    """The page's own package."""
    names = re.findall(r"^`(our_\w+)\.py`", _PAGE, re.MULTILINE)
    modules = dict(zip(names, _blocks("python"), strict=True))
    assert list(modules) == ["our_cues", "our_words", "our_lines", "our_metrics"]
    _install(path, "our-auscult", modules, _blocks("toml")[0])


def run(*words: str | Path, code: int = 0) -> str:
    """A command's answer."""
    done = CliRunner().invoke(auscult, [*map(str, words)], catch_exceptions=code == 2)
    if code == 2:
        assert isinstance(done.exception, AuscultError)
        return str(done.exception)
    assert done.exit_code == code, done.output
    return done.stdout


def test_the_examples_are_short() -> None:
    for block in _blocks("python"):
        lines = [line for line in block.splitlines() if line.strip()]
        assert len(lines) < _LONGEST, lines[0]


@pytest.mark.usefixtures("installed")
def test_the_model_passes_the_suite_of_all_models(tmp_path: Path) -> None:
    corpus = ward(120)
    model = fit(corpus, "cues")
    assert "cues" in models.model_names()
    test_models.test_it_finds_the_codes_and_the_phrases(model, corpus)
    test_models.test_annotations_are_sound(model, corpus)
    test_models.test_saved_and_loaded_it_says_the_same(model, corpus, tmp_path)


@pytest.mark.usefixtures("installed")
def test_a_user_trains_it_predicts_and_measures(tmp_path: Path) -> None:
    ward(60).write(tmp_path / "ward")
    run("train", tmp_path / "ward", tmp_path / "cues", "--model", "cues")
    run("predict", tmp_path / "cues", tmp_path / "ward", tmp_path / "said", "--split", "test")
    assert Model.load(tmp_path / "cues").about.kind == "cues"
    both = (tmp_path / "ward", tmp_path / "said", "--split", "test", "--bootstrap", "50")
    found = json.loads(run("evaluate", "codes", *both, "--json"))
    gold, said = (
        {
            chart.chart_id: {a.code for a in chart.annotations}
            for chart in Corpus.open(corpus).select(splits=["test"]).charts()
        }
        for corpus in (tmp_path / "ward", tmp_path / "said")
    )
    right = sum(gold[c] <= said.get(c, set()) for c in gold) / len(gold)
    assert found["nothing_missed"] == right
    assert found["definitions"]["nothing_missed"].startswith("Share of the charts with gold codes")
    low, high = found["intervals"]["nothing_missed"]
    assert low <= right <= high
    of_spans = ("evaluate", "evidence", *both, "--metric", "nothing_missed", "--json")
    assert json.loads(run(*of_spans))["metrics"]["nothing_missed"]["value"] == right
    against = (*both, "--compare", tmp_path / "said", "--json")
    compared = json.loads(run("evaluate", "codes", *against))["compare"]["nothing_missed"]
    assert (compared["difference"], compared["p_value"]) == (0, 1)


@pytest.mark.usefixtures("installed")
def test_the_format_reads_and_writes(tmp_path: Path) -> None:
    (tmp_path / "bills.txt").write_text("7|401.9 250.00|Pressure | sugar\n8||Nothing\n")
    run(
        "corpus",
        "import",
        "lines",
        tmp_path / "bills.txt",
        tmp_path / "c",
        "--code-system",
        "ICD-9-CM",
    )
    corpus = Corpus.open(tmp_path / "c")
    said = {(a.chart_id, str(a.code)) for a in corpus.iter_annotations()}
    assert said == {("7", "ICD-9-CM 401.9"), ("7", "ICD-9-CM 250.00")}
    run("corpus", "export", "lines", tmp_path / "c", tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == "7|250.00 401.9|Pressure | sugar\n8||Nothing\n"
    assert "as our billing system writes them" in run("corpus", "import", "--help")
    (tmp_path / "bad.txt").write_text("no bars\n")
    with pytest.raises(FormatError, match=r"bad.txt row 1: expected id\|codes\|text"):
        formats.read("lines", tmp_path / "bad.txt")


@pytest.mark.usefixtures("installed")
def test_a_user_trains_a_model_of_concepts(tmp_path: Path) -> None:
    ward(60).write(tmp_path / "ward")
    test = ("--split", "test")
    run("train", tmp_path / "ward", tmp_path / "mem", "--model", "remembered")
    run("predict", tmp_path / "mem", tmp_path / "ward", tmp_path / "found", *test)
    of_gold = ("--spans-of", "gold")
    run("predict", tmp_path / "mem", tmp_path / "ward", tmp_path / "read", *test, *of_gold)
    gold, found, read = (
        {
            (a.note_id, a.spans, a.code)
            for a in Corpus.open(tmp_path / name).select(splits=["test"]).iter_annotations()
            if a.spans and a.annotator == who
        }
        for name, who in (("ward", "gold"), ("found", "remembered"), ("read", "remembered"))
    )
    assert gold
    # The ward marks each phrase with one code, so who remembers the training marks knows them.
    assert read == gold
    assert found >= gold
    again = ("train", tmp_path / "ward", tmp_path / "x", "--model", "remembered")
    run(*again, "--runs", "2")
    assert {folder.name for folder in (tmp_path / "x").iterdir()} == {"seed-0", "seed-1"}
    assert "leave --evidence-fractions" in run(*again, "--evidence-fractions", "0,1", code=2)
    where = (tmp_path / "ward", tmp_path / "found", tmp_path / "x.html")
    said = run("report", *where, "--trained-model", tmp_path / "mem", code=2)
    assert "The model remembered annotates spans and does not score" in said
    assert "Did you mean remembered?" in run(
        "train", tmp_path / "ward", tmp_path / "x", "--model", "remember", code=2
    )


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda r: replace(r, scores=r.scores[:-1]), "must be an array of"),
        (lambda r: replace(r, scores=r.scores * np.nan), "must be numbers from 0 to 1"),
        (lambda r: replace(r, scores=r.scores + 2), "must be numbers from 0 to 1"),
        (lambda r: replace(r, evidence={0: "words"}), "must be an EvidenceWeights"),
        (lambda r: replace(r, evidence={0: _pointed(0, len(r.text) + 1)}), "ranges of its"),
        (lambda r: replace(r, evidence={0: _pointed(3, 3)}), "ranges of its"),
        (lambda _: None, "must return one scored chart for each"),
    ],
)
def test_a_model_that_reads_wrongly_is_told_while_it_learns(
    change: Callable[[ScoredChart], ScoredChart | None], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cues: Any = models.model_class("cues")
    right = cues.read
    monkeypatch.setattr(
        cues,
        "read",
        lambda self, texts, asked: filter(None, map(change, right(self, texts, asked))),
    )
    for folds in (0, 5):
        monkeypatch.setattr(cues, "folds", folds)
        with pytest.raises(AuscultError, match=says):
            fit(ward(30), "cues")


def _pointed(begin: int, end: int) -> EvidenceWeights:
    return EvidenceWeights(np.array([begin]), np.array([end]), np.ones(1, np.float32))


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def read(source, options): return []", "must return a Corpus"),
        ("def write(corpus, target, options): target.touch()", "return a list"),
        ("def write(corpus, target, options): return []", "must write its target"),
    ],
)
def test_a_format_that_gives_something_else_is_refused(
    path: Path, tmp_path: Path, code: str, says: str
) -> None:
    module = (
        "from auscult.corpus.formats import FormatOptions\n"
        "ReadOptions = WriteOptions = FormatOptions\nread = write = None\n" + code
    )
    project = _PROJECT.format(group="formats", name="odd", value="odd_thing")
    _install(path, "odd-package", {"odd_thing": module}, project)
    reads = "def read" in code
    give = partial(formats.read, "odd") if reads else partial(formats.write, "odd", ward(6))
    with pytest.raises(AuscultError, match=says):
        give(path if reads else tmp_path / "out")
    assert not (tmp_path / "out").exists()


_PROJECT = '[project.entry-points."auscult.{group}"]\n{name} = "{value}"\n'


_ODD = "class It: config_type = int; fit = {} = save = load = None"


@pytest.mark.parametrize(
    ("group", "code", "says"),
    [
        ("models", "class It: fit = None", "lacks save, load, one of read, find and link"),
        ("models", "class It: fit = save = load = None", "lacks one of read, find and link"),
        ("models", "It = 3", "is not a class"),
        ("models", "import nowhere_at_all", "cannot be imported: ModuleNotFoundError"),
        ("models", "x = 1", "cannot be imported: AttributeError"),
        ("models", _ODD.format("read"), "does not derive from ModelConfiguration"),
        ("models", _ODD.format("link"), "does not derive from ModelConfiguration"),
        ("formats", "class It: read = write = None", "lacks ReadOptions, WriteOptions"),
        ("metrics", "def It(sides): return [], []", "has no docstring"),
        ("metrics", "It = 3", "is no function"),
    ],
)
def test_what_does_not_fit_says_whose_it_is(path: Path, group: str, code: str, says: str) -> None:
    project = _PROJECT.format(group=group, name="odd", value="odd_thing:It")
    _install(path, "odd-package", {"odd_thing": code}, project)
    load, what = {
        "models": (models.model_class, "model"),
        "formats": (formats.load, "format"),
        "metrics": (registry.plugin, "metric"),
    }[group]
    with pytest.raises(PluginError) as caught:
        load("odd")
    assert f"The {what} 'odd' of the package odd-package" in str(caught.value)
    assert says in str(caught.value)


def test_names_of_our_own_are_not_given_away(path: Path) -> None:
    project = _PROJECT.format(group="models", name="linear", value="odd_thing:It")
    _install(path, "odd-package", {"odd_thing": "It = 3"}, project)
    with pytest.warns(UserWarning, match="linear .* of odd-package is ignored: Auscult itself"):
        assert models.model_names() == (*models.CODING_MODELS, *models.ENTITY_MODELS)
    assert models.model_class("linear").__name__ == "Linear"


def test_a_metric_that_gives_something_else_is_refused() -> None:
    corpus = ward(6)
    sides = pair(corpus, corpus)
    odd: list[Any] = [lambda _: ([1.0], [1.0]), lambda _: 3, lambda _: (["a"] * 6, [1] * 6)]
    for how in odd:
        with pytest.raises(AuscultError, match=r"two (finite )?numbers for each"):
            metric(how, sides, name="odd")
    empty = metric(lambda _: ([0.0] * 6, [0.0] * 6), sides, name="empty")
    assert empty.undefined == "the denominator is 0"
    with pytest.raises(OptionError, match="no metric of another package 'nothing'"):
        registry.plugin("nothing")
