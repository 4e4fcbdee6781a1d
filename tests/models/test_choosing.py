"""The model that is chosen where none is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auscult.core import Code
from auscult.corpus.corpus import Corpus
from auscult.models.choosing import choice_file, choose_model
from auscult.models.fitting import fit
from auscult.models.member_trial import MemberTimes, MemberTrial, try_members
from auscult.models.model import Model
from auscult.models.training import train

Toy = Callable[..., Corpus]


def test_few_charts_are_not_tried_and_the_reasons_are_said(toy: Toy) -> None:
    choice = choose_model(toy(60))
    assert (choice.model, dict(choice.config), choice.seconds) == ("ensemble", {}, None)
    facts, *_, members = choice.why
    assert facts.startswith("54 training charts of about")
    assert "English" in facts
    assert members == (
        "lexicon, linear and codebook, combined by cross-validation and tuned on the split dev"
    )


def test_a_code_book_that_does_not_know_the_system_is_left_out(toy: Toy) -> None:
    corpus = toy(60)
    own = [
        replace(one, code=Code("ward list", one.code.value)) for one in corpus.iter_annotations()
    ]
    choice = choose_model(Corpus.of(list(corpus.iter_notes()), own))
    assert choice.config["members"] == ("lexicon", "linear")
    assert any("codebook" in reason for reason in choice.why)


def test_what_was_asked_for_stays(toy: Toy) -> None:
    asked = {"members": ("linear",), "min_count": 2}
    assert dict(choose_model(toy(60), asked).config) == asked


@pytest.mark.filterwarnings("ignore")
def test_many_charts_are_tried_on_a_sample(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("chart_scoring", "choosing"):
        monkeypatch.setattr(f"auscult.models.{place}.CROSS_VALIDATED", 100)
    monkeypatch.setattr("auscult.models.choosing._FEW", 100)
    choice = choose_model(toy(200), dev_split="none")
    assert choice.seconds
    assert choice.why[-1].endswith("combined and tuned on a tenth of the charts")
    kept = choice.config.get("members", ("lexicon", "linear", "codebook"))
    model = fit(toy(200), dev_split="none")
    assert model.about.configuration["members"] == list(kept)
    left = {"lexicon", "linear", "codebook"} - set(kept)
    assert all(any(one in reason for reason in choice.why) for one in left)


def test_without_evidence_it_says_how_evidence_is_found(toy: Toy) -> None:
    assert any(
        "none is annotated" in reason for reason in choose_model(toy(60, evidence=False)).why
    )


TRIED = MemberTrial(
    (100, 400),
    {
        "quick": MemberTimes(1.0, 4.0, read=0.1),
        "even": MemberTimes(2.0, 2.0),
        "itself": MemberTimes(1.0, 4.0, read=0.1, holds_out=True),
        "sampled": MemberTimes(1.0, 4.0, most=800),
    },
    ("quick", "even"),
)


def test_time_grows_as_it_did_between_the_samples() -> None:
    assert TRIED.seconds(["quick"], 4_000, folds=0, tuning=0) == pytest.approx(40)
    assert 2 < TRIED.seconds(["even"], 4_000, folds=0, tuning=0) < 5, (
        "nothing takes the same time at every size"
    )
    assert TRIED.seconds(["sampled"], 4_000, folds=0, tuning=0) == pytest.approx(8)


def test_time_counts_the_fits_and_the_charts_that_are_read() -> None:
    # 40 s, five fits of 32 s on four of five parts, and 400 s to read every chart.
    assert TRIED.seconds(["quick"], 4_000, folds=5, tuning=0) == pytest.approx(600)
    assert TRIED.seconds(["itself"], 4_000, folds=5, tuning=0) == pytest.approx(40)
    # Charts of a split of their own are read once more for the thresholds.
    assert TRIED.seconds(["quick"], 4_000, folds=0, tuning=300) == pytest.approx(100)
    assert TRIED.seconds(["itself"], 4_000, folds=5, tuning=300) == pytest.approx(70)
    # Choosing and combining: on all charts, and five times without a fold.
    slow, both = replace(TRIED, combining=0.01), ["itself", "quick"]
    assert slow.seconds(["itself"], 4_000, folds=5, tuning=0) == pytest.approx(40)
    assert slow.seconds(both, 4_000, folds=5, tuning=0) == pytest.approx(40 + 600 + 240)
    assert slow.seconds(both, 4_000, folds=0, tuning=300) == pytest.approx(2 * 100 + 3)


@pytest.mark.filterwarnings("ignore")
def test_the_code_book_is_fitted_once(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auscult.models.choosing._FEW", 100)
    tried: list[MemberTrial] = []

    def kept(*given: Any, **named: Any) -> MemberTrial | None:
        tried.append(try_members(*given, **named))  # type: ignore[arg-type]  # enough charts
        return tried[-1]

    monkeypatch.setattr("auscult.models.choosing.try_members", kept)
    choose_model(toy(200), dev_split="none")
    assert [name for name, one in tried[0].times.items() if one.holds_out] == ["codebook"]
    assert tried[0].times["codebook"].most == 10_000


def test_who_adds_nothing_is_named() -> None:
    trial = MemberTrial((250, 1_000), {}, ("lexicon",))
    assert trial.said(("lexicon",)) == ()
    assert trial.said(("lexicon", "linear")) == (
        "without linear: on a sample of 1,000 charts it adds nothing",
    )


@pytest.mark.filterwarnings("ignore")
def test_a_training_that_goes_on_does_not_try_again(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("chart_scoring", "choosing"):
        monkeypatch.setattr(f"auscult.models.{place}.CROSS_VALIDATED", 100)
    tried, out, corpus = 0, tmp_path / "model", toy(140)

    def counted(*given: Any, **named: Any) -> MemberTrial | None:
        nonlocal tried
        tried += 1
        return try_members(*given, **named)

    def stopped(*_given: Any, **_named: Any) -> Model:
        raise KeyboardInterrupt

    monkeypatch.setattr("auscult.models.choosing.try_members", counted)
    asked = {"members": ("linear", "codebook")}
    with monkeypatch.context() as patched:
        patched.setattr("auscult.models.training.fit", stopped)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                train(corpus, out, config=asked, dev_split="none")
        assert tried == 1
        first = choose_model(corpus, asked, dev_split="none", kept=choice_file(out))
        assert tried == 1
        assert first.seconds
        with pytest.raises(KeyboardInterrupt):
            train(corpus, out, config=asked, dev_split="none", seed=1)
        assert tried == 2, "another seed is another training"
    choice_file(out).write_text("{")
    model = train(corpus, out, config=asked, dev_split="none")
    assert tried == 3, "what is damaged is not used"
    assert model.about.configuration["members"] == ["linear", "codebook"]
    assert [one.name for one in tmp_path.iterdir()] == ["model"]
