"""Whether a default training that is killed again and again ends with the same model.

    .venv/bin/python bench/interrupt.py [--patients 30] [--kills 5] [--seed 0]

Trains on the synthetic hospital with `auscult train`, once in peace and once killed (SIGKILL) after
times drawn at random from the whole duration of that. A training that ends before it is killed so
often begins anew, in another directory. Then compares every file of all models.
Exits with 1 if a file differs.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.commands import environment, run


def contents(model: Path) -> dict[str, bytes]:
    """The files of a saved model."""
    return {str(f.relative_to(model)): f.read_bytes() for f in model.rglob("*") if f.is_file()}


def hospital(folder: Path, patients: int) -> Path:
    """A corpus of the synthetic hospital."""
    made, notes, evidence = folder / "hospital", folder / "notes", folder / "evidence"
    run(["synth", "hospital", made, "--patients", str(patients)])
    run(["corpus", "import", "mimic3", made / "mimic3", notes])
    run(["corpus", "import", "mdace", made / "mdace" / "data" / "Inpatient" / "ICD-10", evidence])
    run(["corpus", "merge", notes, evidence, folder / "corpus"])
    return folder / "corpus"


def main() -> int:
    """Train, kill, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--patients", type=int, default=30)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    dice = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        corpus = hospital(folder, given.patients)
        chosen = ["--annotator", "inpatient", "--category", "Discharge summary"]
        lasts = run(["train", corpus, folder / "whole", *chosen]).clock
        print(f"uninterrupted: {lasts:.0f} s", flush=True)
        models, kills, times = [folder / "model-0"], 0, list[str]()
        while kills < given.kills or not models[-1].exists():
            if models[-1].exists():
                models.append(folder / f"model-{len(models)}")
            words = ["-m", "auscult", "train", corpus, models[-1], *chosen]
            child = subprocess.Popen(
                [sys.executable, *map(str, words)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(1),
            )  # fmt: skip
            after = lasts * dice.random() if kills < given.kills else None
            begin = time.monotonic()
            try:
                if child.wait(after):
                    raise SystemExit("auscult train failed.")
            except subprocess.TimeoutExpired:
                child.kill()
                assert child.wait() == -signal.SIGKILL
                kills += 1
                kept = len(list(models[-1].parent.glob(f".{models[-1].name}.training/**/fits")))
                times.append(f"{time.monotonic() - begin:.0f} s ({kept} fits kept)")
        print(f"killed after {', '.join(times)}", flush=True)
        whole = contents(folder / "whole")
        other = [
            f"{model.name}/{name}"
            for model in models
            for name in whole.keys() | contents(model).keys()
            if contents(model).get(name) != whole.get(name)
        ]
    print(f"{len(models)} models of {len(whole)} files, of which differ: {', '.join(other) or 0}")
    return int(bool(other))


if __name__ == "__main__":
    sys.exit(main())
