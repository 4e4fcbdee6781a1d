"""How right the time is that `auscult train` says beforehand, for the default model.

    .venv/bin/python bench/estimate.py [--data ../shared/data] [--corpora hospital-100,…]
        [--corpus PATH [--annotator NAME]]

On the synthetic hospital of 100 and 300 patients and on the training documents of CodiEsp,
or on a corpus of yours: makes the choice, with its trial of the members on a sample, and trains.
Estimate and training are both in processor time of one thread, so that other programs disturb
little. Small corpora are tried here too, although `train` says no time for them.
Exits with 1 when an estimate is not within a factor of 1.5.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.commands import run
from bench.memory import peak_megabytes

import auscult
from auscult.models import choosing, member_trial

FACTOR = 1.5
_HOSPITALS = {"hospital-100": 100, "hospital-300": 300}
_CORPORA = (*_HOSPITALS, "codiesp")


def corpus_of(name: str, data: Path, folder: Path) -> auscult.Corpus:
    """A corpus to train on, with the annotators and notes that count."""
    if name not in _HOSPITALS:
        run(["corpus", "import", "codiesp", data / "codiesp" / "train", folder / "corpus"])
        return auscult.Corpus.open(folder / "corpus")
    run(["synth", "hospital", folder / "hospital", "--patients", str(_HOSPITALS[name])])
    evidence = folder / "hospital" / "mdace" / "data" / "Inpatient" / "ICD-10"
    run(["corpus", "import", "mimic3", folder / "hospital" / "mimic3", folder / "notes"])
    run(["corpus", "import", "mdace", evidence, folder / "evidence"])
    run(["corpus", "merge", folder / "notes", folder / "evidence", folder / "corpus"])
    made = auscult.Corpus.open(folder / "corpus")
    return made.select(annotators=["inpatient"], categories=["Discharge summary"])


def measure(name: str, corpus: auscult.Corpus) -> float:
    """Print estimate and training of a corpus; how far they are apart, as a factor."""
    begin = time.process_time()
    # No corpus is too small for the trial, and it counts processor time.
    clock = SimpleNamespace(perf_counter=time.process_time)
    with mock.patch.object(choosing, "_FEW", 50), mock.patch.object(member_trial, "time", clock):
        choice = auscult.choose_model(corpus)
    tried = time.process_time() - begin
    assert choice.seconds is not None, "too few charts to try"
    begin = time.process_time()
    auscult.fit(corpus, choice.model, choice.config)
    trained = time.process_time() - begin
    apart = max(choice.seconds / trained, trained / choice.seconds)
    charts = choice.why[0].split(" training")[0]
    print(
        f"{name}, {charts} charts: trial {tried:.0f} s, estimate {choice.seconds:.0f} s, "
        f"training {trained:.0f} s: a factor of {apart:.2f}; {choice.why[-1]}; "
        f"{peak_megabytes():,.0f} MB",
        flush=True,
    )
    return apart


def main() -> int:
    """Measure each corpus."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--corpora", default=",".join(_CORPORA), help=f"of {', '.join(_CORPORA)}")
    parser.add_argument("--corpus", type=Path, help="another one, instead of these")
    parser.add_argument("--annotator")
    given = parser.parse_args()
    if given.corpus is not None:
        corpus = auscult.Corpus.open(given.corpus)
        if given.annotator is not None:
            corpus = corpus.select(annotators=[given.annotator])
        return int(measure(given.corpus.name, corpus) > FACTOR)
    apart = []
    for name in given.corpora.split(","):
        with tempfile.TemporaryDirectory() as folder:
            apart.append(measure(name, corpus_of(name, given.data, Path(folder))))
    return int(max(apart) > FACTOR)


if __name__ == "__main__":
    sys.exit(main())
