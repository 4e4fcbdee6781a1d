"""Scores against a straight-line computation, over a thousand random submissions."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from auscult.challenge import Challenge, score_answers, score_files
from auscult.challenge.submission import check, read
from auscult.core import Annotation, Code, Note, OptionError
from auscult.corpus import Corpus

SYSTEM = "ICD-9-CM"
LABELS = ["786.2", "780.6", "486", "599.0", "V13.02", "753.0"]
STRANGE = ["7862", "999.9", ".786.2"]
Rows = list[tuple[str, list[str]]]


def random_gold(dice: random.Random) -> dict[str, set[str]]:
    return {f"d{n}": set(dice.sample(LABELS, dice.randrange(4))) for n in range(dice.randint(1, 9))}


def random_rows(gold: dict[str, set[str]], dice: random.Random) -> Rows:
    """Documents and codes with all that can be wrong with them: missing, extra, twice, strange."""
    names = [name for name in gold if dice.random() > 0.1]
    names += [f"x{n}" for n in range(dice.randrange(3))]
    names += dice.sample(names, min(len(names), dice.randrange(2)))
    dice.shuffle(names)
    rows = []
    for name in names:
        right = sorted(gold.get(name, set()))
        codes = [code for code in right if dice.random() > 0.3]
        codes += dice.choices([*LABELS, *STRANGE], k=dice.randrange(3))
        codes += codes[: dice.randrange(2)]
        dice.shuffle(codes)
        rows.append((name, codes))
    return rows


def as_xml(rows: Rows, dice: random.Random) -> str:
    parts = []
    for name, codes in rows:
        inner = ""
        for code in codes:
            origin, system = dice.choice(["", " origin='x'"]), dice.choice([SYSTEM, "ICD9"])
            inner += f"<code{origin} type='{system}'>{dice.choice(['', ' '])}{code}</code>\n"
        parts.append(
            f'<doc id="{name}">{dice.choice(["", "<texts/>"])}<codes>{inner}</codes></doc>'
        )
    return "<docs>" + "\n".join(parts) + "</docs>"


def as_csv(rows: Rows, dice: random.Random) -> str:
    text = io.StringIO()
    writer = csv.writer(text, quoting=dice.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
    writer.writerow(["document", "code"])
    for name, codes in rows:
        if dice.random() < 0.5:
            writer.writerow([name, ";".join(codes)])
        else:
            writer.writerows([name, code] for code in [*codes, ""])
    return text.getvalue()


def as_json(rows: Rows, dice: random.Random) -> str:
    if len({name for name, _ in rows}) == len(rows) and dice.random() < 0.5:
        return json.dumps(dict(rows), indent=dice.choice([None, 1]))
    return json.dumps([{"id": name, "codes": codes} for name, codes in rows])


FORMS = {"xml": as_xml, "csv": as_csv, "json": as_json}


NAMES = (
    "micro_f1",
    "macro_f1_as_mean_of_code_f1_over_gold_codes",
    "macro_f1_from_macro_precision_and_recall_over_gold_codes",
    "cost_sensitive",
)


def straight(gold: dict[str, set[str]], rows: Rows) -> list[float | None]:
    """Micro-F1, macro-F1 twice and cost-sensitive score, by their definitions and nothing else."""
    given: dict[str, set[str]] = {}
    for name, codes in rows:
        given[name] = given.get(name, set()) | set(codes)
    tp = fp = fn = 0
    cost = 0.0
    for name, right in gold.items():
        said = given.get(name, set())
        tp += len(right & said)
        fp += len(said - right)
        fn += len(right - said)
        either = right | said
        lost = 0.33 * len(right - said) + len(said - right)
        cost += 1 - lost / len(either) if either else 1
    micro = 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None
    each, precisions, recalls = [], [], []
    for code in {code for right in gold.values() for code in right}:
        in_gold = {name for name, right in gold.items() if code in right}
        in_given = {name for name in gold if code in given.get(name, set())}
        both = len(in_gold & in_given)
        each.append(2 * both / (len(in_gold) + len(in_given)))
        precisions.append(both / len(in_given) if in_given else 0.0)
        recalls.append(both / len(in_gold))
    if not each:
        return [micro, None, None, cost / len(gold)]
    p, r = sum(precisions) / len(each), sum(recalls) / len(each)
    return [micro, sum(each) / len(each), 2 * p * r / (p + r) if p else 0.0, cost / len(gold)]


def test_a_thousand_random_submissions() -> None:
    dice = random.Random(2007)
    for number in range(1000):
        gold, form = random_gold(dice), dice.choice(list(FORMS))
        rows = random_rows(gold, dice)
        right = {name: {Code(SYSTEM, c) for c in codes} for name, codes in gold.items()}
        known = {code for codes in right.values() for code in codes}
        checked = check(read(FORMS[form](rows, dice).encode(), f"r.{form}"), right, known)
        assert checked.is_readable, (number, checked.problems)
        score = score_answers(right, checked.answers, times=0)
        found = [score.chosen[name].value for name in NAMES]
        assert found == pytest.approx(straight(gold, rows), abs=1e-12), number


def test_gold_in_every_form_and_a_file_beside_it(tmp_path: Path) -> None:
    dice = random.Random(1)
    gold = {f"d{n}": {LABELS[n % 5], LABELS[n % 3]} for n in range(12)}
    rows = random_rows(gold, dice)
    told = [(name, sorted(codes)) for name, codes in gold.items()]
    for form, write in FORMS.items():
        (tmp_path / f"gold.{form}").write_text(write(told, dice), encoding="utf-8")
        (tmp_path / f"run.{form}").write_text(write(rows, dice), encoding="utf-8")
    for gold_form in FORMS:
        for form in FORMS:
            if gold_form == "xml":
                continue  # a gold of two origins would not be one
            found = score_files(tmp_path / f"gold.{gold_form}", tmp_path / f"run.{form}", times=0)
            assert found.score is not None
            values = [found.score.values()[n] for n in NAMES]
            assert values == pytest.approx(straight(gold, rows))


def test_the_challenges_xml_as_gold_takes_the_majority(tmp_path: Path) -> None:
    file = tmp_path / "gold.xml"
    file.write_text(
        '<docs><doc id="1"><codes><code origin="CMC_MAJORITY" type="ICD-9-CM">486</code>'
        '<code origin="COMPANY1" type="ICD-9-CM">486</code>'
        '<code origin="COMPANY1" type="ICD-9-CM">786.2</code></codes></doc></docs>'
    )
    found = score_files(file, file, origin="COMPANY1", times=0)
    assert found.annotator == "CMC_MAJORITY"
    assert found.score is not None
    assert found.score.values()["micro_f1"] == pytest.approx(2 / 3)
    assert found.score.values()["cost_sensitive"] == pytest.approx(0.5)
    several = score_files(file, file, times=0)
    assert several.score is None
    assert [p.kind.value for p in several.checked.problems if p.is_error] == ["several origins"]


def test_what_cannot_be_gold(tmp_path: Path) -> None:
    run = tmp_path / "run.csv"
    run.write_text("document,code\n1,486\n")
    broken = tmp_path / "gold.json"
    broken.write_text("[{}]")
    with pytest.raises(OptionError, match=r"cannot be read as gold: line 1: no \"id\""):
        score_files(broken, run, times=0)
    with pytest.raises(OptionError, match="does not exist"):
        score_files(tmp_path / "none.xml", run, times=0)


def test_a_corpus_that_is_split_is_scored_by_one_split(tmp_path: Path) -> None:
    """Of train all is missed, of test nothing."""
    notes = [Note("1", "1", split="train"), Note("2", "2", split="test")]
    said = [Annotation("gold", Code(SYSTEM, "486"), name, name) for name in "12"]
    Corpus.of(notes, said).write(tmp_path / "gold")
    run = tmp_path / "run.csv"
    run.write_text("document,code\n2,486\n")
    with pytest.raises(OptionError, match=r"is split into test, train\. Choose which to score"):
        score_files(tmp_path / "gold", run, times=0)
    for split, expected in (("test", 1), ("all", 2 / 3)):
        found = score_files(tmp_path / "gold", run, split=split, times=0)
        assert found.score is not None
        assert found.score.values()["micro_f1"] == pytest.approx(expected)
    with pytest.raises(OptionError, match="There is no split 'dev'"):
        score_files(tmp_path / "gold", run, split="dev", times=0)
    with pytest.raises(OptionError, match="has no splits; leave out --split"):
        score_files(run, run, split="test", times=0)


def test_a_file_of_other_documents_has_no_score(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.csv", tmp_path / "run.csv"
    gold.write_text("document,code\n1,486\n2,\n")
    run.write_text("document,code\n8,486\n9,\n")
    found = score_files(gold, run, times=0)
    assert found.score is None
    assert [p.kind.value for p in found.checked.problems if p.is_error] == [
        "no document of the test set"
    ]


def test_where_there_is_no_label_set_none_is_spoken_of(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.csv", tmp_path / "run.csv"
    gold.write_text("document,code\n1,486\n")
    run.write_text("document,code,system\n1,787,ICD-9-CM\n")
    (problem,) = score_files(gold, run, times=0).checked.problems
    assert "label set" not in f"{problem.says} {problem.kind.value}"
    assert (problem.says, problem.is_error) == ("code '787' is not among the gold codes", False)


def test_a_challenge_is_not_gold(make: Callable[..., Challenge], tmp_path: Path) -> None:
    run = tmp_path / "run.csv"
    run.write_text("document,code\nd1,A\n")
    task = make().path
    with pytest.raises(OptionError, match=r"is a challenge.*auscult challenge submit"):
        score_files(task, run, times=0)
    found = score_files(task / "corpus", run, annotator="gold", split="test", times=0)
    assert found.score is not None
