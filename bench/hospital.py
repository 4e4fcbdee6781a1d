"""How long a synthetic hospital takes: `python bench/hospital.py [--patients 1000]`.

One process on one core. Wall-clock seconds count what the user waits; processor seconds do not
count what else the machine is doing.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from auscult.synth.hospital import make


def main() -> None:
    """Make a hospital and print the seconds it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patients", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "hospital"
        wall, cpu = time.perf_counter(), time.process_time()
        summary = make(out, patients=options.patients, seed=options.seed)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        files = [path for path in out.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
    print(
        f"{summary.patients:,} patients, {summary.admissions:,} admissions, "
        f"{summary.notes:,} notes, {len(files):,} files, {size / 1e6:,.0f} MB"
    )
    print(f"{wall:.1f} s of wall-clock time, {cpu:.1f} s of processor time (limit: 60 s)")
    print(f"{1000 * cpu / summary.patients:.1f} ms of processor time a patient")


if __name__ == "__main__":
    main()
