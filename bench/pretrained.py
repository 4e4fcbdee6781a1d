"""The 2007 challenge's radiology reports with a pretrained encoder: cross-validated micro-F1.

    .venv/bin/python bench/pretrained.py --work FOLDER [dev.xml] [--folds 10] [--seeds 3]
        [--set epochs=10] [--only radiology transformer mixed ensemble]

- radiology:    linear models and concepts, as without an encoder
- transformer:  the encoder fine-tuned alone (MiniLM-L6, from the extra `minilm`)
- mixed:        radiology with the encoder as a third model, on out-of-fold predictions
- ensemble:     radiology and the transformer stacked by the model `ensemble`

Every fold of every seed is kept in FOLDER as soon as it is done, so that the command goes on after
an interruption; all models see the same folds. Micro-F1 is over all reports, as the challenge's
scorer has it; intervals resample reports. Exits with 1 when `mixed` is below 0.895 or not above
each alone, or `transformer` below 0.875.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.cmc import FIRST_SEED, count_fold, f1, folds_of, gain, said

from auscult.cli.settings import setting
from auscult.core.digests import digest_of, file_digest
from auscult.core.version import __version__
from auscult.corpus import formats
from auscult.corpus.corpus import Chart
from auscult.statistics.bootstrap import Floats, point

WANTED = {"mixed": 0.895, "transformer": 0.875}


def configurations(fine_tuning: Mapping[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """The model and the settings of each row."""
    encoder = {"encoder": "minilm", "encoder_settings": dict(fine_tuning)}
    members = ["radiology", "transformer"]
    return {
        "radiology": ("radiology", {}),
        "transformer": ("transformer", dict(fine_tuning)),
        "mixed": ("radiology", encoder),
        "ensemble": (
            "ensemble",
            {"members": members, "settings": {"transformer": dict(fine_tuning)}},
        ),
    }


def measured(
    charts: Sequence[Chart],
    corpus: str,
    kind: str,
    config: Mapping[str, Any],
    folds: int,
    seed: int,
    work: Path,
) -> tuple[Floats, float]:
    """(reports, 3) counts of each report, and processor seconds a fold; `corpus` is its digest."""
    counts, seconds = np.zeros((len(charts), 3)), 0.0
    for number, (inside, outside) in enumerate(folds_of(charts, folds, seed)):
        asked = [__version__, corpus, kind, dict(config), folds, seed, number]
        kept = work / f"{digest_of(*asked)}.json"
        if not kept.exists():
            begin = time.process_time()
            found = count_fold(charts, inside, outside, kind, config)
            took = time.process_time() - begin
            draft = kept.with_suffix(".draft")
            draft.write_text(json.dumps({"asked": asked, "counts": found, "seconds": took}))
            draft.replace(kept)
        held = json.loads(kept.read_text())
        for at, one in zip(outside, held["counts"], strict=True):
            counts[at] = one
        seconds += held["seconds"] / folds
        print(f"{kind} seed {seed} fold {number}: {held['seconds']:.0f} s", file=sys.stderr)
    return counts, seconds


def main() -> int:
    """Print the table; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument(
        "corpus", nargs="?", type=Path, default=Path("../shared/data/cmc2007/dev.xml")
    )
    parser.add_argument("--work", type=Path, required=True, help="where finished folds are kept")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--set", action="append", default=[], help="of the transformer: KEY=VALUE")
    parser.add_argument("--only", nargs="+", choices=list(configurations({})))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    given.work.mkdir(parents=True, exist_ok=True)
    corpus = formats.read("cmc", given.corpus).select(annotators=["CMC_MAJORITY"])
    charts, digest = list(corpus.charts()), file_digest(given.corpus)
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    rows = configurations(dict(setting(one) for one in given.set))
    reached: dict[str, Floats] = {}
    print("| model | micro-F1 | 95% | by seed | seconds a fold |")
    print("| --- | ---: | --- | --- | ---: |")
    for name in given.only or rows:
        runs = [
            measured(charts, digest, *rows[name], given.folds, seed, given.work) for seed in seeds
        ]
        each = ", ".join(f"{point(f1(one), len(charts))[0]:.3f}" for one, _ in runs)
        reached[name] = np.concatenate([one for one, _ in runs], axis=1)
        seconds = sum(one for _, one in runs) / len(runs)
        print(
            f"| {name} | {said(f1(reached[name]), len(charts))} | {each} | {seconds:.0f} |",
            flush=True,
        )
    wrong = []
    of = {name: float(point(f1(one), len(charts))[0]) for name, one in reached.items()}
    for name, least in WANTED.items():
        if of.get(name, 1.0) < least:
            wrong.append(f"{name}: {of[name]:.4f}, wanted {least}")
    if "mixed" in of:
        for other in ("radiology", "transformer"):
            if other in of:
                more = gain(f1(reached["mixed"]), f1(reached[other]))
                print(f"\nmixed above {other}: {said(more, len(charts))}")
                if of["mixed"] <= of[other]:
                    wrong.append(f"mixed is not above {other}")
    print("\n" + ("\n".join(wrong) or "all bars met"))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
