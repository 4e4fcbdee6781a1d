"""Notes coded by three people: the challenge's own reports, or charts of the hospital."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from auscult.agreement.annotation_table import SeenCharts
from auscult.agreement.majority import Level, Majority, majority
from auscult.corpus import Corpus, formats
from auscult.corpus.selecting import only_codes
from auscult.reproduce import hospital
from auscult.reproduce.commands import auscult
from auscult.reproduce.contract import Basis, UsedData
from auscult.reproduce.work import Workspace

OPEN = (
    "the challenge's reports with the codes of its three coders, free to use; the "
    "training part is distributed with CMC_MAJORITY, the test part without codes"
)
STAND_IN = "charts of the synthetic hospital, coded by its three coders"
GOLD = "majority"
_COMPANIES = ("COMPANY3", "COMPANY2", "COMPANY1")
"""The paper does not say which is which; the order of the scores shows it."""
_SYNTHETIC = ("coder_a", "coder_b", "coder_c")
_CHARTS = 4
"""By majority, of a code that is asked for in the hospital."""
PEOPLE = ("HOSPITAL", "COMPANY Y", "COMPANY Z")


@dataclass(frozen=True, slots=True)
class Coded:
    """A corpus with the annotations of three people, and what they are called in the paper."""

    corpus: Corpus = field(repr=False)
    annotators: tuple[str, ...]
    used: UsedData

    @property
    def basis(self) -> Basis:
        """What is measured on it."""
        return self.used.basis

    def voted(self) -> Corpus:
        """With the codes that two of three gave, as annotations of `majority`."""
        return self.corpus.with_annotations(self.vote().annotations)

    def vote(self) -> Majority:
        """The codes that two of three assigned; everybody coded all charts."""
        return majority(
            self.corpus,
            self.annotators,
            votes=2,
            unit=Level.CHART,
            charts=SeenCharts.ALL,
            name=GOLD,
        )


def to_read(work: Workspace) -> tuple[str, ...]:
    """The commands that read the same documents with the codes of three people, as `reports`."""
    given = work.sources.get("cmc")
    if given is not None:
        return (auscult("corpus", "import", "cmc", given, "reports"),)
    coders = auscult("corpus", "import", "jsonl", "hospital/coders", "reports")
    return hospital.to_make(work), coders


def coded(work: Workspace, *, frequent: bool = False) -> Coded:
    """The challenge's file if it is given, and otherwise what the hospital's coders coded.

    A chart of the hospital has many codes, so that hardly any two are alike; with `frequent` only
    the codes count that several charts have by majority.
    """
    given = work.sources.get("cmc")
    if given is not None:
        description = "the reports of the 2007 challenge in the given file"
        used = work.used("CMC 2007", Basis.OPEN, description, given)
        return Coded(formats.read("cmc", given).select(annotators=_COMPANIES), _COMPANIES, used)
    folder, used = hospital.hospital(work), hospital.used(work, "coders", "mimic3")
    annotated = formats.read("jsonl", folder / "coders" / "annotations.jsonl")
    ids = (folder / "coders" / "charts.txt").read_text(encoding="utf-8").split()
    notes = formats.read("mimic3", folder / "mimic3", categories=("Discharge summary",))
    chosen = notes.select(charts=ids, annotators=[])  # not the bill
    corpus = replace(chosen, lazy_all_annotations=annotated.lazy_annotations)
    if frequent:
        vote = Coded(corpus, _SYNTHETIC, used).vote()
        charts = Counter(code for _, code in {(one.chart_id, one.code) for one in vote.annotations})
        corpus = only_codes(corpus, [code for code in charts if charts[code] >= _CHARTS])
    return Coded(corpus, _SYNTHETIC, used)
