"""Annotations as the table a coder reads: one row for each code of a note."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auscult.codes import describe, table_of
from auscult.codes.coding_edits import CodeChecker, CodingFinding, EditSeverity
from auscult.codes.coding_edits.registry import SYSTEMS_CHECKED
from auscult.core import Annotation, Code, Note, Span, Status
from auscult.core.annotation import WHY
from auscult.core.plurals import counted
from auscult.core.results import as_pandas, html_table

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    "note", "code", "description", "billable", "score", "evidence", "why", "findings",
    "if applicable", "system", "chart", "spans",
)  # fmt: skip
"""The columns of the table. Errors and warnings are findings; what an instruction asks for only if
it applies has a column of its own, since most codes have some."""
_SHOWN = 10
_BETWEEN_PARTS = " … "
_BETWEEN_MENTIONS = " | "


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A code of a note with its evidence, quoted; the quotes never show in a `repr`.

    `mentions` has the spans of each mention. `note_id` is None for a code of the whole chart.
    `billable` is None where no table says so.
    """

    chart_id: str
    note_id: str | None
    code: Code
    description: str
    billable: bool | None
    score: float | None
    mentions: tuple[tuple[Span, ...], ...]
    evidence: str = field(repr=False)
    """The words: parts of one mention are joined by ` … `, different mentions by ` | `."""
    why: str = field(repr=False)
    """How the words led to the code, where the model says so."""
    findings: tuple[CodingFinding, ...]
    """What the coding edits have to say about this code beside the others of the chart."""

    @property
    def problems(self) -> tuple[CodingFinding, ...]:
        """The findings that are errors or warnings."""
        return tuple(one for one in self.findings if one.severity is not EditSeverity.NOTE)

    @property
    def reminders(self) -> tuple[CodingFinding, ...]:
        """The other findings: what an instruction asks for if it applies."""
        return tuple(one for one in self.findings if one.severity is EditSeverity.NOTE)

    def to_dict(self) -> dict[str, Any]:
        """For JSON. It quotes the note."""
        return {
            "note_id": self.note_id,
            "chart_id": self.chart_id,
            "system": self.code.system,
            "code": self.code.value,
            "description": self.description,
            "billable": self.billable,
            "score": self.score,
            "evidence": self.evidence,
            "mentions": [[[s.begin, s.end] for s in spans] for spans in self.mentions],
            "why": self.why,
            "findings": [finding.to_dict() for finding in self.findings],
        }


class CodeRows(list[CodeRow]):
    """Rows, in the order of the notes and then of the scores. Its `repr` quotes no text."""

    def to_polars(self) -> pl.DataFrame:
        """One row per code: note, code, description, score, quoted evidence, findings and so on."""
        import polars as pl

        kinds = {"billable": pl.Boolean, "score": pl.Float64}
        types = {name: kinds.get(name, pl.String) for name in COLUMNS}
        return pl.DataFrame([row_cells(row) for row in self], schema=types)

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        return as_pandas(self.to_polars())

    def __repr__(self) -> str:
        notes = len({(row.chart_id, row.note_id) for row in self})
        return f"CodeRows({counted(len(self), 'code')} of {counted(notes, 'note')})"

    def _repr_html_(self) -> str:
        shown = [list(row_cells(row).values()) for row in self[:_SHOWN]]
        more = f"<p>and {len(self) - _SHOWN:,} more</p>" if len(self) > _SHOWN else ""
        quotes = "<p>This table quotes text of clinical notes.</p>"
        cells = [["" if cell is None else cell for cell in row] for row in shown]
        return f"{html_table(COLUMNS, cells)}{more}{quotes}"


def row_cells(row: CodeRow) -> dict[str, str | float | bool | None]:
    """A row as a table has it, by column."""
    return {
        "note": row.chart_id if row.note_id is None else row.note_id,
        "code": row.code.value,
        "description": row.description,
        "billable": row.billable,
        "score": row.score,
        "evidence": row.evidence,
        "why": row.why,
        "findings": "\n".join(map(finding_line, row.problems)),
        "if applicable": "\n".join(one.advice for one in row.reminders),
        "system": row.code.system,
        "chart": row.chart_id,
        "spans": "; ".join(
            ", ".join(f"{span.begin}-{span.end}" for span in spans) for spans in row.mentions
        ),
    }


def finding_line(finding: CodingFinding) -> str:
    """A finding in one line."""
    return f"{finding.severity} {finding.rule}: {finding.problem}. {finding.advice}"


def code_rows(notes: Iterable[Note], annotations: Iterable[Annotation]) -> CodeRows:
    """The codes that annotations give to notes, with their evidence and what is wrong with them.

    The codes of a chart are checked together, as `auscult codes check --unordered` does. Codes that
    a model only ranked or was asked about are left out.

    >>> note = Note("n", "c", text="Type 2 diabetes.")
    >>> given = Annotation("ann", Code("ICD-10-CM", "E11.9"), "c", "n", (Span(0, 15),), 0.9)
    >>> [row] = code_rows([note], [given])
    >>> row.description, row.evidence, row.billable
    ('Type 2 diabetes mellitus without complications', 'Type 2 diabetes', True)
    """
    by_id = {note.note_id: note for note in notes}
    given = [one for one in annotations if one.status is Status.GIVEN]
    findings = _findings(given)
    held: dict[tuple[str, str | None, Code], list[Annotation]] = {}
    for one in given:
        held.setdefault((one.chart_id, one.note_id, one.code), []).append(one)
    rows = []
    for (chart_id, note_id, code), mine in held.items():
        note = by_id.get(note_id) if note_id is not None else None
        scores = [one.score for one in mine if one.score is not None]
        table = table_of(code.system)
        rows.append(
            CodeRow(
                chart_id,
                note_id,
                code,
                describe(code) or "",
                None if table is None else table.is_billable(code.value),
                max(scores, default=None),
                tuple(dict.fromkeys(one.spans for one in mine if one.spans)),
                _quoted(note, mine),
                "; ".join(dict.fromkeys(why for one in mine if (why := one.meta.get(WHY)))),
                findings.get((chart_id, code), ()),
            )
        )
    order = {note_id: place for place, note_id in enumerate(by_id)}
    last = len(order)
    return CodeRows(
        sorted(
            rows,
            key=lambda row: (
                order.get(row.note_id or "", last), row.chart_id, -(row.score or 0), row.code,
            ),
        )
    )  # fmt: skip


def _quoted(note: Note | None, annotations: Sequence[Annotation]) -> str:
    """The words of each mention, each once however often and in whatever case it comes."""
    if note is None or note.text is None:
        return ""
    said: dict[str, str] = {}
    for one in annotations:
        parts = (" ".join(note.text[span.begin : span.end].split()) for span in one.spans)
        if words := _BETWEEN_PARTS.join(part for part in parts if part):
            said.setdefault(words.casefold(), words)
    return _BETWEEN_MENTIONS.join(said.values())


def _findings(given: Sequence[Annotation]) -> Mapping[tuple[str, Code], tuple[CodingFinding, ...]]:
    """What the edits find in each chart, by the codes that it concerns."""
    held: dict[tuple[str, Code], list[CodingFinding]] = {}
    for system in SYSTEMS_CHECKED:
        charts: dict[str, dict[Code, None]] = {}  # each code once, however often it is mentioned
        for one in given:
            if one.code.system == system:
                charts.setdefault(one.chart_id, {})[one.code] = None
        if not charts:
            continue
        checker = CodeChecker(system)
        for chart_id, codes in charts.items():
            for finding in checker.check(list(codes), first_listed=False):
                for value in dict.fromkeys(finding.codes):
                    held.setdefault((chart_id, Code(system, value)), []).append(finding)
    return {key: tuple(found) for key, found in held.items()}
