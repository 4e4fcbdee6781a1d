"""MDACE at the paper's scale is the paper's experiment."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.reproduce.small import work_in

from auscult.core import Annotation, Code, Metric, Note, Span
from auscult.corpus import Corpus, formats
from auscult.evaluate.sides import read_chart_ids
from auscult.models import config_type_of, model_class
from auscult.reproduce.contract import Basis
from auscult.reproduce.mdace import figure1, released, table9, table10, training
from auscult.reproduce.mdace.files import SUMMARY, charts
from auscult.reproduce.mdace.released import scored
from auscult.reproduce.registry import named
from auscult.reproduce.work import PAPER, Workspace

TEXTS = {
    "11": (SUMMARY, "Chest pain, resolved. Acute - renal (failure) on 500 mg. Fever, fever; pain."),
    "12": ("Physician", "Renal failure, and 5 days of fever. Chest pain."),
    "21": (SUMMARY, "No fever. Chronic pain (chest) - stable."),
    "22": ("Nutrition", "Poor appetite and fever."),
}
"""Notes of the charts 1 and 2."""
GOLD = [
    ("11", "786.50", "Chest pain,"), ("11", "584.9", "Acute - renal (failure)"),
    ("11", "780.60", "Fever"), ("12", "584.9", "Renal failure"), ("21", "338.2", "Chronic pain"),
    ("22", "780.60", "fever"),
]  # fmt: skip
PREDICTED = [
    ("11", "780.60", "Fever,"), ("11", "786.50", "Chest"), ("11", "786.50", "pain"),
    ("11", "584.9", "- renal ("),
    ("11", "584.9", "failure) on 500"), ("11", "780.60", "fever;"), ("12", "584.9", "Renal"),
    ("12", "584.9", "failure,"), ("21", "338.2", "Chronic"), ("21", "338.2", "pain"),
    ("21", "786.50", "chest) -"), ("22", "780.60", "fever."),
]  # fmt: skip
Rows = list[tuple[str, str, int, int]]


def placed(marks: list[tuple[str, str, str]]) -> Rows:
    """Note, code, begin and end of each mark; the last place where the words are."""
    found = []
    for note, code, words in marks:
        begin = TEXTS[note][1].rindex(words)
        found.append((note, code, begin, begin + len(words)))
    return found


def corpus() -> Corpus:
    notes = [Note(i, i[0], category=c, text=text) for i, (c, text) in TEXTS.items()]
    given = [
        Annotation("inpatient", Code("ICD-9-CM", code), note[0], note, (Span(begin, end),))
        for note, code, begin, end in placed(GOLD)
    ]
    return Corpus.of(notes, given)


def predictions(folder: Path) -> Path:
    """The authors' form: a file for each chart."""
    place = folder / "Inpatient" / "ICD-9" / "Discharge"
    place.mkdir(parents=True)
    for chart in "12":
        notes = [
            {
                "note_id": int(note), "category": category, "description": "Report",
                "annotations": [
                    {"begin": begin, "end": end, "code": code, "code_system": "ICD-9-CM",
                     "type": "ECAN-supervised-attention"}
                    for other, code, begin, end in placed(PREDICTED) if other == note
                ],
            }
            for note, (category, _) in TEXTS.items() if note[0] == chart
        ]  # fmt: skip
        file = place / f"{chart}-ICD-9.json"
        file.write_text(json.dumps({"hadm_id": int(chart), "notes": notes}))
    return place


def by_hand(
    rows: Rows, categories: tuple[str, ...], *, merge: bool
) -> dict[str, set[tuple[Any, ...]]]:
    """The keys of each measure, as the authors' script makes them, step by step."""
    kept = sorted(row for row in rows if TEXTS[row[0]][0] in categories)
    if merge:
        joined: Rows = []
        for note, code, begin, end in kept:
            text = TEXTS[note][1]
            before = joined[-1] if joined else None
            if (
                before
                and before[:2] == (note, code)
                and not re.search(r"\w", text[before[3] : begin])
            ):
                joined[-1] = (note, code, before[2], end)
            else:
                joined.append((note, code, begin, end))
        kept = joined
    keys: dict[str, set[tuple[Any, ...]]] = {
        "token": set(),
        "span": set(),
        "token_pi": set(),
        "span_pi": set(),
    }
    for note, code, begin, end in kept:
        text = TEXTS[note][1]
        while begin < end and text[begin] in "-.,/ )":
            begin += 1
        while end > begin and text[end - 1] in "-.,/ (":
            end -= 1
        chart, covered = note[0], text[begin:end].lower()
        keys["span"].add((chart, note, code, begin, end))
        keys["span_pi"].add((chart, code, covered))
        for token in re.finditer(r"\w+", covered):
            if not token.group().isdigit() or int(token.group()) <= 10:
                keys["token"].add((chart, note, code, begin + token.start()))
                keys["token_pi"].add((chart, code, token.group()))
    return keys


@pytest.mark.parametrize("merge", [False, True])
def test_released_predictions_are_counted_as_the_authors_script_counts(
    tmp_path: Path, merge: bool
) -> None:
    categories = (SUMMARY, "Physician") if merge else (SUMMARY,)
    gold = corpus().select(categories=list(categories))
    found = scored(gold, predictions(tmp_path), categories, merge_adjacent=merge)
    theirs = by_hand(placed(GOLD), categories, merge=merge)
    ours = by_hand(placed(PREDICTED), categories, merge=merge)
    for name, want in theirs.items():
        counts = found.metrics[name].counts
        assert counts is not None
        both = (len(want & ours[name]), len(ours[name] - want), len(want - ours[name]))
        assert (counts.tp, counts.fp, counts.fn) == both, name
    tp = {name: len(theirs[name] & ours[name]) for name in theirs}
    # Without the comma "Fever," is a gold span; merged, the phrases of several marks are found too.
    if merge:
        assert tp == {"token": 8, "span": 2, "token_pi": 7, "span_pi": 2}
    else:
        assert tp == {"token": 6, "span": 1, "token_pi": 7, "span_pi": 1}


@pytest.mark.real
def test_the_gold_spans_are_as_many_as_the_authors_script_counted(shared_data: Path) -> None:
    folder = shared_data / "mdace"
    evidence = formats.read("mdace", folder / "data" / "Inpatient" / "ICD-9")
    test = read_chart_ids(folder / "splits" / "Inpatient" / "MDace-ev-test.csv")
    part = evidence.select(charts=test, categories=[SUMMARY])
    spans = {(one.note_id, one.code, one.spans) for one in part.iter_annotations()}
    printed = {one.key: one.value for one in released.REPRODUCTION.published}
    assert len(spans) == printed["Supervised: exact span · Gold"]


def test_printed_counts_and_ratios_hang_together() -> None:
    printed = {one.key: one.value for one in released.REPRODUCTION.published}
    for key, f1 in printed.items():
        if key.endswith("F1"):
            row = key.removesuffix(" · F1")
            predicted, gold, tp, p, r = (
                printed[f"{row} · {c}"] for c in ("Predicted", "Gold", "True positives", "P", "R")
            )
            exact = (100 * tp / predicted, 100 * tp / gold, 200 * tp / (predicted + gold))
            assert (p, r, f1) == pytest.approx(exact, abs=0.051), row


def test_the_interval_of_several_runs_is_of_their_mean() -> None:
    values = [0.428, 0.43, 0.432]
    found = training.averaged(values, Basis.STAND_IN)
    assert found.value == pytest.approx(43)
    assert found.spread == pytest.approx(0.2)
    # 43 ± t(2 degrees of freedom) · 0.2 / √3
    assert found.interval == pytest.approx((43 - 4.3027 * 0.11547, 43 + 4.3027 * 0.11547), abs=1e-3)
    runs = [Metric("f1", "", one, interval=(one - 0.03, one + 0.04)) for one in values]
    over_both = training.averaged(values, Basis.STAND_IN, runs=runs).interval
    assert over_both == pytest.approx((43 - 3.041, 43 + 4.031), abs=1e-3)  # √(3² + 0.497²) …
    alone = training.averaged(values[:1], Basis.STAND_IN, runs=runs[:1])
    assert alone.interval == pytest.approx((39.8, 46.8))


def test_the_paper_s_scale_has_the_paper_s_losses_and_sizes(tmp_path: Path) -> None:
    work = Workspace(tmp_path / "work", scale=PAPER)
    for kind, evidence, weight in (
        ("effectivecan", "supervised", 2.5),
        ("effectivecan", "linear-tagger", 0.5),
        ("effectivecan", "cnn-tagger", 0.5),
        ("caml", "attention", 0.0),
    ):
        given = {**training.sized(work, kind), "evidence": evidence}
        config: Any = config_type_of(model_class(kind)).model_validate(given)
        assert (config.weight, config.tagger_loss, config.max_length) == (weight, "mean", 3500)
        assert not config.descriptions
        assert not config.match
        if kind == "caml":
            assert (config.out_channels, config.kernel_size, config.embedding_dim) == (50, 10, 100)
    assert training.longer(work) == 5000
    assert figure1.parameters() / 1e6 == pytest.approx(17, abs=0.5)
    assert "λ₂ = 0.5" in training.settings_used(work)[0]
    ours = config_type_of(model_class("effectivecan"))()
    assert ours.model_dump()["tagger_loss"] == "evidence"


def test_billed_cpt_codes_are_not_learned_and_are_counted(tmp_path: Path) -> None:
    work = work_in(tmp_path / "work")
    whole = charts(work, "Inpatient", categories=(SUMMARY,))
    systems = {one.code.system for one in whole.corpus.iter_annotations()}
    assert systems == {"ICD-9-CM", "ICD-9-PCS"}
    every = {one.code.system for one in charts(work, "Profee").corpus.iter_annotations()}
    assert "CPT" in every


def test_evidence_is_cleaned_as_the_authors_clean_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trimmed in both tables, and merged in that of code-able notes, as in their README."""
    asked: list[dict[str, Any]] = []

    class EnoughError(Exception):
        """All that is wanted is known."""

    def watch(_model: object, _corpus: Corpus, **options: Any) -> None:
        asked.append(options)
        raise EnoughError

    whole = SimpleNamespace(basis=Basis.STAND_IN, used=())
    test = Corpus.of([Note("n", "c", split="test")], [])
    work: Any = SimpleNamespace(scale=PAPER)
    monkeypatch.setattr(training, "assess", watch)
    monkeypatch.setattr(table9, "summaries", lambda _: (whole, test))
    monkeypatch.setattr(table9, "learned", lambda *_, **__: None)
    model = SimpleNamespace(decoding=SimpleNamespace(evidence_threshold=0.1))
    monkeypatch.setattr(table10, "codeable", lambda *_: (whole, test, model))
    for table in (table9, table10):
        with pytest.raises(EnoughError):
            table.run(work)
    assert [(one["trim"], one["merge_adjacent"]) for one in asked] == [(True, False), (True, True)]


def test_the_tables_of_networks_fit_a_screen() -> None:
    """Six columns of numbers with ± and interval fit into 1,300 pixels; thirteen do not."""
    for name in ("table-7", "table-9", "table-10", "table-11", "released"):
        columns = {printed.column for printed in named(f"mdace-{name}").published}
        assert len(columns) <= 6, name
