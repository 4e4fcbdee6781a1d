"""How fast and in how much memory a NOTEEVENTS table is imported, next to polars alone.

Makes a table in the manner of MIMIC-III (seeded; quotes, newlines and CRLF in the notes; lengths
as its categories have them) and one of a quarter the size, plain and gzipped. Then, in one run,
each measurement in a process of its own and the rounds interleaved:

- polars:  `pl.read_csv(file, infer_schema=False).write_parquet(out)`
- auscult: `read("mimic3", folder).write(out)`, which also checks the whole file, shapes the notes
  and digests what it wrote

Prints medians and two ratios: our time by that of polars (at most 1.5), and our peak memory for
the large table by that for the small one (less than 1.3). Exits with 1 when one is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.memory import peak_megabytes

MOST_TIME = 1.5
MOST_GROWTH = 1.3
ROUNDS = 3

HEADER = "ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR"
# Categories with their share of the notes and the mean number of characters.
CATEGORIES = {
    "Nursing/other": (40, 900),
    "Radiology": (25, 1_500),
    "Nursing": (11, 1_700),
    "ECG": (10, 220),
    "Physician ": (7, 5_000),
    "Discharge summary": (3, 9_500),
    "Echo": (2, 2_400),
}


def sentences(dice: random.Random) -> list[str]:
    """Made-up sentences, a few with quotes, doses or odd line ends."""
    letters = "etaoinshrdlucmfwypvbgk"
    words = [
        "".join(dice.choices(letters, range(len(letters), 0, -1), k=dice.randint(2, 10)))
        for _ in range(8_000)
    ]
    common = [1 / (rank + 5) for rank in range(len(words))]
    made = []
    for _ in range(30_000):
        text = " ".join(dice.choices(words, common, k=dice.randint(4, 18)))
        if dice.random() < 0.03:
            text += f' ""{dice.choice(words)}""'
        if dice.random() < 0.2:
            text += f", {dice.randint(1, 400)}.{dice.randint(0, 9)} mg"
        made.append(text + dice.choice([". ", ". ", ". ", ".\n", ".\n", ".\n\n", ".\r\n"]))
    return made


def rows(megabytes: float, seed: int = 0) -> Iterator[str]:
    """The rows of a table of about that size."""
    dice = random.Random(seed)
    pool = sentences(dice)
    per_character = len(pool) / sum(map(len, pool))
    categories, shares = list(CATEGORIES), [share for share, _ in CATEGORIES.values()]
    written = row_id = 0
    while written < megabytes * 1e6:
        row_id += 1
        category = dice.choices(categories, shares)[0]
        length = CATEGORIES[category][1] * dice.lognormvariate(-0.125, 0.5)
        text = "".join(dice.choices(pool, k=max(1, round(length * per_character))))
        day = f"{dice.randint(2100, 2200)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
        moment = f"{day} {dice.randint(0, 23):02}:{dice.randint(0, 59):02}:00"
        moment = moment if dice.random() < 0.85 else ""
        admission = dice.randint(100_000, 200_000) if dice.random() < 0.89 else ""
        row = (
            f"{row_id},{dice.randint(1, 99_999)},{admission},{day},{moment},{moment},"
            f'"{category}","Report",{dice.randint(14_000, 22_000)},'
            f'{1 if dice.random() < 0.0005 else ""},"{text}"\n'
        )
        written += len(row)
        yield row


def make_table(folder: Path, megabytes: float) -> Path:
    """Write the table into a folder of its own."""
    folder.mkdir()
    file = folder / "NOTEEVENTS.csv"
    with file.open("w", encoding="ascii", newline="") as handle:
        handle.write(HEADER + ",TEXT\n")
        handle.writelines(rows(megabytes))
    return file


def pack(file: Path, folder: Path) -> Path:
    """The same table gzipped, in another folder."""
    folder.mkdir()
    packed = folder / f"{file.name}.gz"
    with file.open("rb") as source, gzip.open(packed, "wb", compresslevel=1) as target:
        shutil.copyfileobj(source, target, 2**20)
    return packed


def measure(way: str, file: Path, out: Path) -> dict[str, float]:
    """Do it once, here, and say how long it took and how much memory at most."""
    if way == "polars":
        import polars as pl

        begin = time.perf_counter()
        pl.read_csv(file, infer_schema=False).write_parquet(out)
    else:
        from auscult.corpus.formats import read

        begin = time.perf_counter()
        read("mimic3", file.parent).write(out)
    seconds = time.perf_counter() - begin
    peak = peak_megabytes()
    return {"seconds": seconds, "megabytes": peak}


def metric_apart(way: str, file: Path, out: Path) -> dict[str, float]:
    """Do it once in a process of its own."""
    command = [sys.executable, __file__, "--one", way, str(file), str(out)]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
    finally:
        shutil.rmtree(out, ignore_errors=True)
        out.unlink(missing_ok=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def run(megabytes: float, rounds: int, folder: Path) -> bool:
    """Make the tables, measure, print; whether both limits are kept."""
    print(f"Making tables of {megabytes / 4:.0f} and {megabytes:.0f} MB …", file=sys.stderr)
    small, large = (
        make_table(folder / "small", megabytes / 4),
        make_table(folder / "large", megabytes),
    )
    kinds = {
        ".csv": (small, large),
        ".csv.gz": (pack(small, folder / "small_gz"), pack(large, folder / "large_gz")),
    }
    found = defaultdict(list)
    for number in range(rounds):
        print(f"Round {number + 1} of {rounds} …", file=sys.stderr)
        for files in kinds.values():
            for file in files:
                for way in ("polars", "auscult"):
                    found[way, file].append(metric_apart(way, file, folder / "out"))

    def median(way: str, file: Path, what: str) -> float:
        return statistics.median(one[what] for one in found[way, file])

    kept = True
    print(f"{'table':<16} {'polars':>18} {'auscult':>18} {'time ratio':>11} {'growth':>7}")
    for kind, (first, second) in kinds.items():
        grown = median("auscult", second, "megabytes") / median("auscult", first, "megabytes")
        for file, size in ((first, megabytes / 4), (second, megabytes)):
            ratio = median("auscult", file, "seconds") / median("polars", file, "seconds")
            shown = [
                f"{median(way, file, 'seconds'):6.2f} s {median(way, file, 'megabytes'):6.0f} MB"
                for way in ("polars", "auscult")
            ]
            growth = f"{grown:7.2f}" if file == second else ""
            print(
                f"{size:5.0f} MB {kind:<7} {shown[0]:>18} {shown[1]:>18} {ratio:11.2f} {growth:>7}"
            )
            kept &= ratio <= MOST_TIME
        kept &= grown < MOST_GROWTH
    verdict = "kept" if kept else "MISSED"
    print(f"time ratio at most {MOST_TIME}, growth below {MOST_GROWTH}: {verdict}")
    return kept


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=560, help="size of the large table")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--one", nargs=3, metavar=("WAY", "FILE", "OUT"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        way, file, out = given.one
        print(json.dumps(measure(way, Path(file), Path(out))))
        return
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(0 if run(given.megabytes, given.rounds, Path(folder)) else 1)


if __name__ == "__main__":
    main()
