"""What the quick start for researchers costs: the seconds of each of its commands.

    .venv/bin/python bench/quick_start.py [--patients 100]

Runs the commands that README prints, with so many patients in the synthetic hospital, in a
temporary folder; then the training of the default model on the result, which README leaves to
docs/tasks/mimic.md, with the annotator and the notes of README's Python block. One thread.
Wanted: training by the default in under one minute of processor time, which other programs disturb
little. Exits with 1 when it takes longer.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.commands import run

ROOT = Path(__file__).resolve().parents[1]
MOST = 60
_TITLE = "## Quick start: researcher with MIMIC"
_TRAIN = 'auscult train split model --annotator inpatient --category "Discharge summary"'


def printed() -> list[str]:
    """The commands of README's quick start, without comments."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    section = page.split(_TITLE)[1].split("\n## ")[0]
    [block] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return [line.split(" #")[0].strip() for line in block.splitlines() if line.strip()]


def main() -> int:
    """Run and time them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--patients", type=int, default=100)
    given = parser.parse_args()
    here, seconds = Path.cwd(), 0.0
    print("| command | processor | clock | memory |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for line in (*printed(), _TRAIN):
                line = re.sub(r"--patients \d+", f"--patients {given.patients}", line)
                found = run(shlex.split(line)[1:])
                seconds = found.processor
                print(
                    f"| `{line}` | {found.processor:.1f} s | {found.clock:.1f} s | "
                    f"{found.megabytes:,.0f} MB |",
                    flush=True,
                )
        finally:
            os.chdir(here)
    print(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return int(seconds > MOST)


if __name__ == "__main__":
    sys.exit(main())
