"""A workbench for the browser tests: `python workbench.py FOLDER PORT` fills it and serves it."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from uuid import uuid4

from auscult.challenge import create
from auscult.codes.exclusions import Exclusions
from auscult.codes.lookup.current import code_search
from auscult.codes.sources import SourceOptions, read
from auscult.codes.tables import table_of
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.server.access import Role, Viewer
from auscult.server.accounts.passwords import hash_password
from auscult.server.accounts.people import add_person
from auscult.server.coding.names import CodeNames
from auscult.server.database.engine import Database
from auscult.server.events.append import append_step
from auscult.server.projects.assign import write_assignments
from auscult.server.projects.create import Schema, create_project, keys_of
from auscult.server.projects.members import set_member
from auscult.server.settings import PasswordCost, ServerSettings
from auscult.server.shapes.coding import Add, NewAnnotation, Seen, Step
from auscult.server.start import open_database, open_server, serve

PASSWORD = "correct horse battery"
CHEAP = PasswordCost(rounds=1, memory_kib=8, lanes=1)
SYSTEMS = ("ICD-10-CM", "ICD-9-CM", "CPT", "UMLS")
ADMISSION = """ADMISSION NOTE

HISTORY OF PRESENT ILLNESS:
The patient has essential hypertension and chest pain.
No fever. Pain in the left arm and also the left leg.

PLAN:
Treat essential hypertension. Watch the chest pain.
"""
LATER = "PROGRESS NOTE\n\nEssential hypertension is controlled. Pneumonia was ruled out.\n"
ODD = (
    "Heart 🫀 beats.\r\n\tTab, then fe\u0301ver and 👨‍👩‍👧 family.\r\n"
    "𝔘nusual naïve 漢字 text\u00a0with ↑BP.\r\n"
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked=1'>\r\n"
    "Last cough 🤒"
)
NAMED = """Dr. Mary Smith saw the patient on 03/04/2019 🫀.
May was unwell in May. Zorblax came along.
"""
SCRIPT = "<img src=x onerror='window.hacked=1'><script>window.hacked = 1</script>"
TOKENS, SPANS = 20_000, 2_000


def main(folder: Path, port: int) -> None:
    """Fill an empty folder, and serve it until interrupted."""
    database = open_database(folder)
    password = hash_password(PASSWORD, CHEAP)
    with database.writing() as connection:
        people = {
            name: add_person(connection, name, is_admin=name == "adam", password=password).id
            for name in ("ann", "bob", "rita", "sue", "adam")
        }
    _make(database, people, "Small", _small(), 6, ("ann",), about="<b>not bold</b>")
    _make(database, people, "Double", _small("d"), 2, ("ann", "bob"))
    _make(database, people, "Odd", _odd(), 2, ("ann",), vocabulary=_vocabulary(folder))
    _make(database, people, "Names", _named(), 2, ("ann",))
    _make(database, people, "Spare", _small("x"), 0, ("ann", "bob"))
    _challenge(folder)
    large = _make(database, people, "Large", _large(), 1, ("ann",))
    _mark(database, Viewer(people["ann"], "ann", large, Role.CODER))
    settings = ServerSettings(folder, port=port, password=CHEAP)
    server = open_server(settings, database)
    for system in filter(table_of, SYSTEMS):  # so that no test runs before codes can be searched
        code_search(system)
        while server.sources.search(system) is None:
            time.sleep(0.1)
    print("ready", flush=True)
    serve(server)


def _make(
    database: Database,
    people: dict[str, int],
    name: str,
    corpus: Corpus,
    charts: int,
    coders: Sequence[str],
    about: str = "Made up.",
    vocabulary: str | None = None,
) -> int:
    schema = Schema(
        name,
        SYSTEMS,
        about=about,
        guidelines="# Guidelines\n\nCode what is *said*. <script>window.hacked = 1</script>",
        coders_per_chart=len(coders),
        logs_suggestions=True,
        vocabulary=vocabulary,
    )
    with database.writing() as connection:
        key = create_project(connection, corpus, schema, pre_annotators=["model"])
        for person in coders:
            set_member(connection, key, people[person], Role.CODER)
        set_member(connection, key, people["rita"], Role.REVIEWER)
        set_member(connection, key, people["sue"], Role.SUPERVISOR)
        chart_keys, _ = keys_of(connection, key)
        pairs = [
            (chart, people[person])
            for chart in list(chart_keys.values())[:charts]
            for person in coders
        ]
        write_assignments(connection, key, pairs, "first")
    return key


def _small(prefix: str = "s") -> Corpus:
    notes, said = [], []
    for number in range(8):
        chart = f"{prefix}{number}"
        notes.append(Note(f"{chart}a", chart, "p", "Physician", "2101-01-01", ADMISSION))
        notes.append(Note(f"{chart}b", chart, "p", "Nursing", "2101-01-02", LATER))
        said.append(Annotation("billing", Code("ICD-10-CM", "I10"), chart))
        said.append(Annotation("billing", Code("ICD-10-CM", "E11.9"), chart))
        for words, code in (("Pneumonia", "J18.9"), ("hypertension", "I10")):
            span = Span(LATER.index(words), LATER.index(words) + len(words))
            said.append(Annotation("model", Code("ICD-10-CM", code), chart, f"{chart}b", (span,)))
    return Corpus.of(notes, said)


def _odd() -> Corpus:
    notes = [Note(f"o{n}", f"odd{n}", "p", "Odd 🫀", None, ODD) for n in range(2)]
    said = [Annotation("model", Code("ICD-10-CM", "R05.9"), "odd0", "o0", (Span(0, 5),))]
    return Corpus.of(notes, said)


def _named() -> Corpus:
    notes = [Note(f"p{n}", f"named{n}", f"p{n}", "Letter", "2019-03-04", NAMED) for n in range(2)]
    said = [Annotation("model", Code("ICD-10-CM", "R05.9"), "named0", "p0", (Span(0, 2),))]
    return Corpus.of(notes, said)


def _vocabulary(folder: Path) -> str:
    """A concept whose name is a script."""
    table = folder / "terms.csv"
    table.write_text(f"id,name,synonyms\nC0000001,{SCRIPT},beats\n", encoding="utf-8")
    exclusions = Exclusions()
    options = SourceOptions(system="UMLS")
    Vocabulary.build(
        read(table, options, exclusions), folder / "terms", name="terms", exclusions=exclusions
    )
    return "terms"


def _challenge(folder: Path) -> None:
    """Twelve documents, half of them to be coded, for ann and bob."""
    notes, said = [], []
    for number in range(12):
        name, split = f"doc{number}", "train" if number < 6 else "test"
        notes.append(Note(name, name, category="Report", text="Fever or cough.", split=split))
        code = Code("ICD-10-CM", "R50.9" if number % 2 else "R05.9")
        said.append(Annotation("gold", code, name, name))
        said.append(Annotation("a person", Code("ICD-10-CM", "R50.9"), name, name))
    (folder / "challenges").mkdir()
    create(
        Corpus.of(notes, said),
        folder / "challenges" / "fever",
        gold="gold",
        humans=("a person",),
        teams=("ann", "bob"),
        attempts=2,
    )


def _large() -> Corpus:
    chance = random.Random(0)
    stock = ["pain", "cough", "left", "heart", "failure", "acute", "on", "chronic", "mg", "daily"]
    notes = []
    for number in range(2):
        words = [chance.choice(stock) for _ in range(TOKENS)]
        lines = [" ".join(words[at : at + 10]) for at in range(0, TOKENS, 10)]
        notes.append(
            Note(f"l{number}", "large", "p", "Long", f"2101-01-0{number + 1}", "\n".join(lines))
        )
    span = Span(0, 4)
    said = [Annotation("model", Code("ICD-10-CM", "R52"), "large", "l0", (span,))]
    return Corpus.of(notes, said)


def _mark(database: Database, viewer: Viewer) -> None:
    """Overlapping annotations, all over the first long note."""
    with database.reading() as connection:
        charts, notes = keys_of(connection, viewer.project)
    chance = random.Random(1)
    length = len(next(iter(_large().iter_notes())).text or "")
    adds = list(_adds(chance, length, charts["large"], notes["l0"]))
    seen = [Seen(chart=charts["large"], note=notes["l0"], version=0)]
    append_step(
        database, viewer, Step(client_id=str(uuid4()), seen=seen, changes=adds), CodeNames(None)
    )


def _adds(chance: random.Random, length: int, chart: int, note: int) -> Iterable[Add]:
    for number in range(SPANS):
        begin = chance.randrange(length - 200)
        made = NewAnnotation(
            id=str(uuid4()),
            chart=chart,
            note=note,
            spans=[(begin, begin + chance.randrange(5, 120))],
            system="ICD-10-CM",
            code=("I10", "R05.9", "E11.9", "J18.9", "R52")[number % 5],
        )
        yield Add(op="add", annotation=made)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
