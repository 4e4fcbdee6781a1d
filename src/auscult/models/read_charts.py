"""Charts as read for training, reduced to the parts that a model can learn from.

All charts must be read before the first can be an example, since the label space has the codes of
all. A chart as the corpus gives it takes more memory: the notes' text as it is, and an object for
every annotation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from auscult.core import Annotation, Code, Note
from auscult.corpus.corpus import Chart
from auscult.models.chart_inputs import text_of
from auscult.models.chart_scoring import ChartConfiguration
from auscult.models.chart_text import patient_of
from auscult.models.examples import Example, coded_example
from auscult.models.label_space import LabelSpace
from auscult.models.packed_text import PackedText, WordTable


@dataclass(frozen=True, slots=True, eq=False)
class ReadChart:
    """A chart's words, its codes, and the annotations that point at words.

    `notes` are there for these; without such annotations there are none. A chart without notes has
    no text.
    """

    chart_id: str
    patient: str
    text: PackedText | None
    codes: tuple[Code, ...]
    pointing: tuple[Annotation, ...] = ()
    notes: tuple[Note, ...] = field(default=(), repr=False)


def charts_as_read(
    charts: Iterable[Chart], config: ChartConfiguration, table: WordTable
) -> list[ReadChart]:
    """The charts, read according to the settings, with their words in one table."""
    codes: dict[Code, Code] = {}
    return [_read(chart, config, table, codes) for chart in charts]


def examples_of(charts: Iterable[ReadChart], labels: LabelSpace) -> list[Example]:
    """The charts as examples, those without notes or words left out."""
    return [
        coded_example(chart.text, chart.codes, chart.pointing, chart.notes, labels)
        for chart in charts
        if chart.text is not None and len(chart.text)
    ]


def _read(
    chart: Chart, config: ChartConfiguration, table: WordTable, codes: dict[Code, Code]
) -> ReadChart:
    pointing = tuple(one for one in chart.annotations if one.note_id is not None and one.spans)
    # Codes that many charts have are held once.
    having = dict.fromkeys(codes.setdefault(one.code, one.code) for one in chart.annotations)
    return ReadChart(
        chart.chart_id,
        patient_of(chart.chart_id, chart.notes),
        PackedText.of(text_of(chart.notes, config), table) if chart.notes else None,
        tuple(having),
        pointing,
        chart.notes if pointing else (),
    )
