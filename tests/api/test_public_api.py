"""What `import auscult` offers: light, complete, documented, and usable in one line each."""

from __future__ import annotations

import inspect
import json
import pydoc
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import numpy as np
import pytest
from click.testing import CliRunner
from docs.tools import api as api_page
from tests.contracts.test_models import ward

import auscult
from auscult.cli.main import auscult as command_line
from auscult.core import AuscultError, OptionError
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import EvidenceRequest, EvidenceWeights, ScoredChart

_SLOWEST = 0.3


@pytest.fixture(scope="module")
def corpus() -> auscult.Corpus:
    return ward(120)


@pytest.fixture(scope="module")
def model(corpus: auscult.Corpus) -> auscult.Model:
    return auscult.fit(corpus, "linear")


class Word:
    """Gives the code whose name's first letter the chart has most of."""

    def __init__(self, words: list[str]) -> None:
        self.words = words

    @classmethod
    def fit(
        cls, data: TrainingData, config: Any, *, seed: int, directory: Path | None = None
    ) -> Self:
        found = []
        for code in range(len(data.labels)):
            counts: dict[str, int] = {}
            for one in data.train:
                for begin, end in one.evidence.get(code, ()):
                    for word in one.text.words[begin:end]:
                        counts[word] = counts.get(word, 0) + 1
            found.append(max(counts, key=lambda word: (counts[word], word), default=""))
        return cls(found)

    def read(self, texts: Any, wanted: EvidenceRequest) -> Iterator[ScoredChart]:
        for text in texts:
            there = np.array([[word == own for own in self.words] for word in text.words], "f4")
            scores = there.max(axis=0)
            evidence = {
                code: EvidenceWeights.words(there[:, code])
                for code in wanted(text, scores).tolist()
            }
            yield ScoredChart(text, scores, evidence)

    def save(self, directory: Path) -> None:
        (directory / "words.json").write_text(json.dumps(self.words))

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: Any) -> Self:
        return cls(json.loads((directory / "words.json").read_text()))


def test_importing_it_is_quick_and_brings_nothing_heavy() -> None:
    script = (
        "import time; t = time.perf_counter(); import auscult; "
        "took = time.perf_counter() - t; import sys, json; "
        "print(json.dumps([took, [m for m in ('torch', 'polars', 'sklearn') if m in sys.modules]]))"
    )
    runs = [
        json.loads(
            subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
        )
        for _ in range(3)
    ]
    assert min(took for took, _ in runs) < _SLOWEST
    assert all(heavy == [] for _, heavy in runs)


def test_every_name_is_there_and_says_what_it_is() -> None:
    assert set(auscult._LAZY) <= set(auscult.__all__)
    for name in auscult.__all__:
        found = getattr(auscult, name)
        if name != "__version__":
            assert inspect.getdoc(found), name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = auscult.nothing


def test_the_reference_has_every_name() -> None:
    assert api_page.listed() == set(auscult.__all__) - {"__version__"}


def test_train_predict_evaluate_in_one_line_each(
    corpus: auscult.Corpus, model: auscult.Model, tmp_path: Path
) -> None:
    test = corpus.select(splits=["test"])
    predicted = model.predict(test)
    assert predicted.to_polars().height == len(predicted) > 0
    codes = auscult.evaluate_codes(test, predicted, bootstrap=0)
    assert float(codes.metrics["micro_f1"]) > 0.8
    assert f"{codes.metrics['micro_f1']:.2f}" == f"{float(codes.metrics['micro_f1']):.2f}"
    evidence = auscult.evaluate_evidence(test, predicted, bootstrap=0)
    assert {"name", "value"} <= set(evidence.to_polars().columns)
    model.save(tmp_path / "model")
    assert auscult.load_model(tmp_path / "model").predict(test) == predicted


def test_models_and_predictions_are_compared(corpus: auscult.Corpus, model: auscult.Model) -> None:
    test = corpus.select(splits=["test"])
    of_models = auscult.compare(test, model, auscult.fit(corpus, Word), bootstrap=20)
    [micro] = of_models.to_polars().filter(metric="micro_f1").rows(named=True)
    assert micro["difference"] == pytest.approx(micro["first"] - micro["second"])
    itself = auscult.compare(test, model.predict(test), model.predict(test), bootstrap=20)
    assert itself.to_polars().filter(metric="micro_f1")["difference"].to_list() == [0.0]
    assert "micro_f1" in repr(of_models)


def test_a_model_is_evaluated_as_it_is_compared(
    corpus: auscult.Corpus, model: auscult.Model
) -> None:
    """The label space, the ranking and the oracle's evidence are the same in all of them."""
    test = corpus.select(splits=["test"])
    both = auscult.compare(test, model, model, bootstrap=0)
    codes = auscult.evaluate_codes(test, model, bootstrap=0)
    assert codes.to_polars().equals(both.first.codes.to_polars())
    evidence = auscult.evaluate_evidence(test, model, bootstrap=0)
    assert evidence.to_polars().equals(both.first.evidence.to_polars())
    by_split = auscult.compare(corpus, model, model, split="test", bootstrap=0)
    assert by_split.first.codes.to_polars().equals(codes.to_polars())
    chosen = auscult.evaluate_codes(corpus, model, split="test", bootstrap=0)
    assert chosen.to_polars().equals(codes.to_polars())


def test_whoever_evaluates_on_training_charts_is_warned(
    corpus: auscult.Corpus, model: auscult.Model
) -> None:
    for evaluate in (auscult.evaluate_codes, auscult.evaluate_evidence):
        with pytest.warns(UserWarning, match="trained or tuned on"):
            evaluate(corpus, model, split="train", bootstrap=0)


def test_a_corpus_is_read_chart_by_chart(corpus: auscult.Corpus, model: auscult.Model) -> None:
    """In the order of its notes, and with the same predictions as from the notes themselves."""
    test = corpus.select(splits=["test"])
    assert model.predict(test) == model.predict(test.iter_notes()) != []


def test_a_name_that_is_not_there_is_an_error(corpus: auscult.Corpus) -> None:
    with pytest.raises(OptionError, match="Did you mean test"):
        corpus.select(splits=["tst"])
    with pytest.raises(OptionError, match=r"such as \['test'\]"):
        corpus.select(splits="test")
    assert corpus.select(splits=[]).notes.height == 0


def test_what_cannot_be_is_said_in_a_sentence(corpus: auscult.Corpus, model: auscult.Model) -> None:
    with pytest.raises(OptionError, match=r"no choice of charts.*annotated"):
        auscult.evaluate_codes(corpus, model, charts="goldd")
    with pytest.raises(OptionError, match="chart"):
        auscult.majority(corpus, unit="chrt")
    with pytest.raises(OptionError, match="has the name of the built-in model linear"):
        auscult.fit(corpus, type("Mine", (Word,), {"name": "linear"}))


def test_a_list_of_splits_is_not_taken_for_chart_ids(
    corpus: auscult.Corpus, model: auscult.Model
) -> None:
    several: Any = ["train", "dev"]
    told = r"split must be the name of one split, not a list.*corpus\.select\(splits="
    for evaluate in (auscult.evaluate_codes, auscult.evaluate_evidence, auscult.evaluate_entities):
        with pytest.raises(OptionError, match=told):
            evaluate(corpus, corpus, split=several)
    with pytest.raises(OptionError, match=told):
        auscult.compare(corpus, corpus, corpus, split=several)
    with pytest.raises(OptionError, match=told):
        auscult.audit(model, corpus, model.labels.codes[0], ["the"], split=several)
    with pytest.raises(OptionError, match="train must be the name of one split, not a list"):
        auscult.fit(corpus, "linear", train_split=several)
    every = auscult.evaluate_codes(corpus, corpus, split="all", bootstrap=0)
    assert every.to_polars().equals(auscult.evaluate_codes(corpus, corpus, bootstrap=0).to_polars())


def test_messages_name_arguments_in_python_and_flags_on_the_command_line(
    corpus: auscult.Corpus, tmp_path: Path
) -> None:
    """None of them tells a caller of a function to pass an option of a command."""
    two = [
        auscult.Annotation("b", a.code, a.chart_id, a.note_id) for a in corpus.iter_annotations()
    ]
    first = [auscult.Annotation("a", a.code, a.chart_id, a.note_id) for a in two]
    both = auscult.Corpus.of(corpus.iter_notes(), [*first, *two])
    both.write(tmp_path / "both")
    some = auscult.Corpus.of(corpus.iter_notes(), [*first[:20], *two])

    def told(call: Callable[[], object]) -> str:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                call()
            except AuscultError as error:
                caught.append(error)  # type: ignore[arg-type]  # both are only shown
        return " ".join(str(getattr(one, "message", one)) for one in caught)

    for call, said in (
        (lambda: auscult.evaluate_codes(both, corpus), "annotator=NAME"),
        (lambda: auscult.evaluate_codes(corpus, both), "Corpus.select(annotators=[NAME])"),
        (lambda: auscult.compare(both, corpus, corpus), "annotator=NAME"),
        (lambda: auscult.fit(both, "linear"), "config={'annotators': [NAME]}"),
        (lambda: auscult.fit(some.select(annotators=["a"]), "lexicon"), "config={'charts': 'all'}"),
        (lambda: auscult.evaluate_codes(some, corpus, annotator="a", bootstrap=0), "charts='all'"),
        (lambda: auscult.agreement(some, bootstrap=0), "charts='all'"),
        (lambda: auscult.agreement(both, unit="span"), "unit='note'"),
        (lambda: auscult.majority(both, votes=5), "votes must be from 1 to 2"),
        (lambda: both.write(tmp_path / "both"), "overwrite=True"),
    ):
        message = told(call)
        assert said in message
        assert "--" not in message
    with pytest.raises(OptionError, match="Choose one with --annotator NAME"):
        CliRunner().invoke(
            command_line,
            ["evaluate", "codes", str(tmp_path / "both"), str(tmp_path / "both")],
            catch_exceptions=False,
        )


def test_plain_text_is_a_chart_of_its_own(corpus: auscult.Corpus, model: auscult.Model) -> None:
    text = next(corpus.select(splits=["test"]).iter_notes()).text or ""
    one, two = model.predict(text), model.predict([text, text])
    assert {a.chart_id for a in one} == {"text-1"}
    assert [a.code for a in two if a.chart_id == "text-2"] == [a.code for a in one] != []
    assert text[:20] not in repr(one)


def test_a_class_of_ones_own_is_a_model(corpus: auscult.Corpus, tmp_path: Path) -> None:
    made = auscult.fit(corpus, Word)
    assert made.name == "Word"
    test = corpus.select(splits=["test"])
    made.save(tmp_path / "own")
    again = auscult.load_model(tmp_path / "own", Word)
    assert again.predict(test) == made.predict(test) != []
    with pytest.raises(OptionError, match=r"pass its class: load_model\(path, Word\)"):
        auscult.load_model(tmp_path / "own")
    with pytest.raises(OptionError, match="int is not a model class: it lacks fit, save, load"):
        auscult.fit(corpus, int)  # type: ignore[arg-type]  # what is wrong is what is tested


def test_a_parameter_means_the_same_in_every_function() -> None:
    meant = {
        "seed": ("int", 0),
        "bootstrap": ("int", 1000),
        "annotator": ("str | None", None),
        "annotators": ("Sequence[str] | None", None),
        "split": ("str | None", None),
        "train": ("Corpus | None", None),
        "train_split": ("str", "train"),
        "dev_split": ("str | None", None),
        "config": ("Mapping[str, Any] | None", None),
    }
    seen = set[str]()
    for name in auscult.__all__:
        found = getattr(auscult, name)
        if not callable(found) or inspect.isclass(found):
            continue
        for one in inspect.signature(found).parameters.values():
            assert one.name not in {"kind", "times", "dev", "level", "seen"}, name
            if one.name in meant:
                seen.add(one.name)
                assert (one.annotation, one.default) == meant[one.name], (name, one.name)
    assert seen == set(meant)


@pytest.mark.parametrize(("name", "parameter"), [("agreement", "annotators"), ("audit", "words")])
def test_packages_that_are_called_describe_themselves(name: str, parameter: str) -> None:
    """As the function does, to `inspect` and `help`."""
    package = import_module(f"auscult.{name}")
    function = getattr(import_module("auscult.api"), name)
    assert isinstance(package, ModuleType)
    assert package is getattr(auscult, name)
    assert inspect.signature(package) == inspect.signature(function)
    assert parameter in inspect.signature(package).parameters
    assert inspect.unwrap(package) is function
    shown = pydoc.plain(pydoc.render_doc(package))
    assert (function.__doc__ or "").partition("\n")[0] in shown
    assert f"{name}(" in shown
    assert "bootstrap=1000" in shown


def test_describing_a_package_is_left_until_it_is_asked_for() -> None:
    code = (
        "import sys, auscult.agreement as package; there = lambda: 'auscult.api' in sys.modules; "
        "print(there()); package.__doc__; print(there())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "True"]


def test_agreement_and_audit_are_functions_and_packages(
    corpus: auscult.Corpus, model: auscult.Model
) -> None:
    import auscult.agreement.alpha
    import auscult.audit.run

    second = [
        auscult.Annotation("second", one.code, one.chart_id, one.note_id, one.spans)
        for one in corpus.iter_annotations()
    ]
    assert "annotators" in inspect.signature(auscult.agreement).parameters
    both = auscult.agreement(corpus.with_annotations(second), bootstrap=0)
    assert float(both.metrics["alpha_nominal"]) == 1.0
    with pytest.raises(OptionError, match="at least two annotators"):
        auscult.agreement(corpus)
    code = model.labels.codes[0]
    found = auscult.audit(model, corpus.select(splits=["test"]), code, ["the", "and"], bootstrap=10)
    assert found.to_polars().height >= 2
    own = auscult.audit(
        auscult.fit(corpus, Word), corpus.select(splits=["test"]), code, bootstrap=0
    )
    assert own.to_polars().height >= 1
