"""What each step costs at the size of MIMIC-III: processor time, peak memory, slopes.

    .venv/bin/python bench/mimic_size.py FOLDER [--charts 1000,4000] [--steps import,linear,…]
        [--english] [--data ../shared/data]

Makes corpora of so many training charts (`bench/mimic_corpus.py`), of which dev and test charts are
3.4% and 7% more, as in the published split of MIMIC-III. Every step is one or several commands, on
one thread. What was measured is kept in FOLDER and not measured again without --again. With
--english, codes are those of ICD-9-CM and the text is English, so that the model `codebook` knows
them; what comes of that is kept in FOLDER/english. --data installs the Alphabetic Index. The slope
is that of processor time in charts between the two largest sizes: 1 is proportional.
With --codes, corpora with another number of codes are kept beside them. Where a step was measured
at two sizes, its time and memory at the size of MIMIC-IV are worked out; for what codes cost, the
step must have been measured with another number of codes at one of the sizes.
Exits with 1 when a target at 47,000 charts is missed, or one at the size of MIMIC-IV by what was
worked out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from auscult.codes.releases import add_release

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.commands import Run, run
from bench.mimic_corpus import CODES, write_tables

DEV, TEST = 0.034, 0.07
FULL = 47_000
MOST_MINUTES = {"linear": 45, "lexicon": 45, "default": 120}
MOST_MEGABYTES = 8_192
LEAST_A_SECOND = 20
MIMIC_IV = (300_000, 26_000)
"""Training charts and codes."""
MOST_AT_MIMIC_IV = {"default": 24_000, "lexicon": 24_000, "linear": 24_000}
"""Megabytes."""
MODELS = {"default": [], "lexicon": ["--model", "lexicon"], "linear": ["--model", "linear"]}
Step = Callable[[Path, int], Sequence[list[str | Path]]]


def _import(folder: Path, _seed: int) -> list[list[str | Path]]:
    notes, evidence = folder / "notes", folder / "pointed"
    return [
        ["corpus", "import", "mimic3", folder / "mimic3", notes],
        ["corpus", "import", "jsonl", folder / "evidence", evidence],
        ["corpus", "merge", notes, evidence, folder / "merged"],
    ]


def _split(folder: Path, _seed: int) -> list[list[str | Path]]:
    every = 1 + DEV + TEST
    shares = {"train": 1 / every, "dev": DEV / every, "test": TEST / every}
    asked = [word for name, one in shares.items() for word in ("--share", f"{name}={one:.4f}")]
    return [["corpus", "split", folder / "merged", folder / "corpus", *asked]]


def _doctor(folder: Path, _seed: int) -> list[list[str | Path]]:
    return [["corpus", "doctor", folder / "corpus"]]


def _train(name: str) -> Step:
    def step(folder: Path, seed: int) -> list[list[str | Path]]:
        words = [*MODELS[name], "--annotator", "billing", "--seed", str(seed), "--overwrite"]
        return [["train", folder / "corpus", folder / name, *words]]

    return step


def _predict(name: str) -> Step:
    def step(folder: Path, _seed: int) -> list[list[str | Path]]:
        out = folder / f"predicted-{name}"
        return [
            ["predict", folder / name, folder / "corpus", out, "--split", "test", "--overwrite"]
        ]

    return step


def _evaluate(name: str) -> Step:
    def step(folder: Path, _seed: int) -> list[list[str | Path]]:
        both: list[str | Path] = [folder / "corpus", folder / f"predicted-{name}"]
        asked = ["--annotator", "billing", "--split", "test"]
        return [["evaluate", what, *both, *asked] for what in ("codes", "evidence")]

    return step


def _report(name: str) -> Step:
    def step(folder: Path, _seed: int) -> list[list[str | Path]]:
        both: list[str | Path] = [folder / "corpus", folder / f"predicted-{name}"]
        asked = ["--annotator", "billing", "--overwrite"]
        page = folder / f"{name}.html"
        return [["report", *both, page, "--trained-model", folder / name, *asked]]

    return step


STEPS: dict[str, Step] = {
    "import": _import,
    "split": _split,
    "doctor": _doctor,
    **{name: _train(name) for name in MODELS},
    **{f"predict-{name}": _predict(name) for name in MODELS},
    **{f"evaluate-{name}": _evaluate(name) for name in MODELS},
    **{f"report-{name}": _report(name) for name in MODELS},
}
"""The steps, in the order in which they can be run; a model's name is its training."""


def make(folder: Path, charts: int, codes: int, seed: int, is_english: bool) -> None:
    """The tables of a size, unless they are there."""
    if (folder / "mimic3").exists():
        return
    draft = folder.with_name(f".{folder.name}")
    shutil.rmtree(draft, ignore_errors=True)
    begin = time.process_time()
    every = round(charts * (1 + DEV + TEST))
    write_tables(draft, every, codes=codes, seed=seed, is_english=is_english)
    draft.rename(folder)
    print(f"{charts:,} charts made in {time.process_time() - begin:.0f} s", file=sys.stderr)


def measure(folder: Path, name: str, seed: int) -> Run:
    """Run the commands of a step, one after another."""
    for left in {"import": ("notes", "pointed", "merged"), "split": ("corpus",)}.get(name, ()):
        shutil.rmtree(folder / left, ignore_errors=True)
    # What an interrupted measurement left would be gone on with, and the rest counted as all.
    shutil.rmtree(folder / f".{name}.training", ignore_errors=True)
    runs = [run(words) for words in STEPS[name](folder, seed)]
    return Run(
        sum(one.clock for one in runs),
        sum(one.processor for one in runs),
        max(one.megabytes for one in runs),
    )


def slope(found: dict[int, Run]) -> float | None:
    """The exponent of processor time in charts, between the two largest sizes."""
    if len(found) < 2:
        return None
    small, large = sorted(found)[-2:]
    return math.log(found[large].processor / found[small].processor) / math.log(large / small)


@dataclass(frozen=True)
class WorkedOut:
    """What a step should take at the size of MIMIC-IV, from smaller sizes."""

    minutes: float
    megabytes: float
    a_chart: float
    """Kilobytes that a chart more takes."""
    a_code: float | None
    """Kilobytes that a code more takes; None where it was not measured."""


def at_mimic_iv(found: dict[int, Run], more_codes: dict[tuple[int, int], Run]) -> WorkedOut | None:
    """Memory by the line through the two largest sizes, time by their slope; codes likewise.

    `more_codes` are runs with another number of codes, by charts and codes. A slope below 0.3, or
    memory that falls, is of caps and noise, and counts as 0.3 and as 0.
    """
    grows = slope(found)
    if grows is None:
        return None
    small, large = sorted(found)[-2:]
    charts, codes = MIMIC_IV
    a_chart = max(0.0, (found[large].megabytes - found[small].megabytes) / (large - small))
    megabytes = found[large].megabytes + a_chart * (charts - large)
    seconds = found[large].processor * (charts / large) ** max(grows, 0.3)
    a_code = None
    if there := [one for one in more_codes if one[0] in found and one[1] > CODES]:
        size, most = max(there)
        few, many = found[size], more_codes[size, most]
        a_code = max(0.0, (many.megabytes - few.megabytes) / (most - CODES))
        megabytes += a_code * (codes - CODES)
        by_codes = math.log(many.processor / few.processor) / math.log(most / CODES)
        seconds *= (codes / CODES) ** max(by_codes, 0.0)
    kilobytes = None if a_code is None else 1000 * a_code
    return WorkedOut(seconds / 60, megabytes, 1000 * a_chart, kilobytes)


def show_mimic_iv(worked_out: dict[str, WorkedOut]) -> None:
    """A line for each step."""
    charts, codes = MIMIC_IV
    print(f"\nWorked out for {charts:,} charts and {codes:,} codes (MIMIC-IV):\n")
    print("| step | minutes | MB | kB a chart | kB a code |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, one in worked_out.items():
        a_code = "not measured" if one.a_code is None else f"{one.a_code:,.1f}"
        print(
            f"| {name} | {one.minutes:,.0f} | {one.megabytes:,.0f} | {one.a_chart:,.1f} | "
            f"{a_code} |"
        )


def missed(name: str, found: Run) -> list[str]:
    """The targets at full size that a step misses."""
    wrong = []
    most = MOST_MINUTES.get(name)
    if most is not None and found.processor > 60 * most:
        wrong.append(f"{name}: {found.processor / 60:.0f} min of processor time, wanted {most}")
    if found.megabytes > MOST_MEGABYTES:
        wrong.append(f"{name}: {found.megabytes:,.0f} MB, wanted {MOST_MEGABYTES:,}")
    if name.startswith("predict") and FULL * TEST / found.processor < LEAST_A_SECOND:
        wrong.append(f"{name}: under {LEAST_A_SECOND} charts a second")
    return wrong


def show(sizes: Sequence[int], results: dict[str, dict[int, Run]]) -> None:
    """A row for each step: processor time and peak memory at each size, and the slope."""
    print("| step | " + " | ".join(f"{size:,} charts" for size in sizes) + " | slope |")
    print("| --- |" + " ---: |" * (len(sizes) + 1))
    for name, found in results.items():
        cells = [
            f"{found[size].processor:,.1f} s, {found[size].megabytes:,.0f} MB"
            if size in found
            else ""
            for size in sizes
        ]
        grows = slope(found)
        print(f"| {name} | " + " | ".join([*cells, "" if grows is None else f"{grows:.2f}"]) + " |")


def main() -> int:
    """Make, measure what is asked for, print the table of all that is known."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where corpora, models and results are kept")
    parser.add_argument("--charts", default="1000,4000", help="training charts: N,N…")
    parser.add_argument("--codes", type=int, default=CODES, help="number of codes")
    parser.add_argument(
        "--steps",
        default="import,split,doctor,linear,predict-linear,evaluate-linear,report-linear",
        help=f"some of {','.join(STEPS)}, or all",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", action="store_true", help="measure what is measured already")
    parser.add_argument("--english", action="store_true", help="English charts of real codes")
    parser.add_argument("--data", type=Path, help="folder with icd10cm_2025, the Alphabetic Index")
    given = parser.parse_args()
    if given.english:
        given.folder = given.folder / "english"
    if given.data is not None:
        os.environ["AUSCULT_HOME"] = str(given.folder / "home")
        for file in sorted((given.data / "icd10cm_2025").glob("*.xml")):
            add_release(file)
    sizes = [int(size) for size in given.charts.split(",")]
    steps = list(STEPS) if given.steps == "all" else given.steps.split(",")
    if unknown := set(steps) - set(STEPS):
        parser.error(f"unknown steps: {', '.join(sorted(unknown))}")
    results: dict[str, dict[int, Run]] = {name: {} for name in STEPS}
    more_codes: dict[str, dict[tuple[int, int], Run]] = {name: {} for name in STEPS}
    asked = {(size, given.codes) for size in sizes}
    there = (one.name.split("-") for one in given.folder.glob("[0-9]*") if one.is_dir())
    every = {(int(size), int(codes[0]) if codes else CODES) for size, *codes in there}
    for size, codes in sorted(asked | every):
        folder = given.folder / (str(size) if codes == CODES else f"{size}-{codes}")
        is_asked = (size, codes) in asked
        if is_asked:
            given.folder.mkdir(parents=True, exist_ok=True)
            make(folder, size, codes, given.seed, given.english)
        for name in STEPS:
            kept = folder / f"{name}.json"
            if is_asked and name in steps and (given.again or not kept.exists()):
                found = measure(folder, name, given.seed)
                kept.write_text(json.dumps(asdict(found)))
                print(f"{folder.name} {name}: {found}", file=sys.stderr, flush=True)
            if kept.exists():
                read = Run(**json.loads(kept.read_text()))
                if codes == CODES:
                    results[name][size] = read
                else:
                    more_codes[name][size, codes] = read
    shown = sorted({size for found in results.values() for size in found})
    show(shown, {name: found for name, found in results.items() if found})
    worked_out = {
        name: one
        for name, found in results.items()
        if (one := at_mimic_iv(found, more_codes[name])) is not None
    }
    if worked_out:
        show_mimic_iv(worked_out)
    wrong = [
        target
        for name, found in results.items()
        if FULL in found
        for target in missed(name, found[FULL])
    ]
    wrong += [
        f"{name} at the size of MIMIC-IV: {worked_out[name].megabytes:,.0f} MB, wanted {most:,}"
        for name, most in MOST_AT_MIMIC_IV.items()
        if name in worked_out and worked_out[name].megabytes > most
    ]
    if wrong:
        print("\n" + "\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
