"""A simulated author of notes on one stay: chooses words, fills templates, masks names.

A template is a sentence with slots. `{it}` and the like are given by the caller. A slot that
begins with a sign names a row of the tables and says what the sentence says of it:

    {+aspirin}  present or given    {-fever}      denied or absent    {?pneumonia}  uncertain
    {~fever}    what might come     {<pneumonia}  long over           {^gout}       in the family

`{=pneumonia|pneumonias}` is what a table's sentence names in passing; see markup.py.
`{!ventilated}` writes nothing and means that the sentence is only for stays where that is so.
With `|` it says in which words: {+room_air|RA}. Abbreviations that mean several things are always
written so, because only the template knows which one it means.
`{he}`, `{his}`, `{him}`, `{man}`, `{age}` and `{pt}` stand for the patient, `{unit}` for the ward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, cached_property

from auscult.core import AuscultError
from auscult.synth import identity
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.markup import Markup
from auscult.synth.note_parts import (
    Form,
    HiddenIdentifier,
    Phrase,
    PhraseAssertion,
    PhraseKind,
    Piece,
    Text,
    capital,
    extend,
    parse,
    smudge,
)
from auscult.synth.random_draws import RandomDraws
from auscult.synth.staff import Author, Staff
from auscult.synth.stay import Admission, Illness, Shown
from auscult.synth.wording import Wordings

SIGNS = {
    "+": PhraseAssertion.PRESENT,
    "-": PhraseAssertion.NEGATED,
    "?": PhraseAssertion.UNCERTAIN,
    "~": PhraseAssertion.HYPOTHETICAL,
    "<": PhraseAssertion.HISTORICAL,
    "^": PhraseAssertion.FAMILY,
}
_ADJECTIVES = ("ile", "used", "gic", "ated", "zy", "ive", "ious", "tic", "less", "ulous", "ese")

_CLAIMED = (PhraseKind.CONDITION, PhraseKind.SYMPTOM, PhraseKind.PROCEDURE)
_PRONOUNS = {
    "he": ("he", "she"),
    "He": ("He", "She"),
    "his": ("his", "her"),
    "His": ("His", "Her"),
    "him": ("him", "her"),
}


@dataclass(frozen=True)
class AuthorContext:
    """What all authors share: the tables, their statistics, and the staff."""

    known: ClinicalTables
    epidemiology: Epidemiology
    staff: Staff
    _with_code: dict[tuple[str, ...], list[str]] = field(default_factory=dict, repr=False)

    @cached_property
    def kinds(self) -> dict[str, PhraseKind]:
        """Which table each id is in."""
        known = self.known
        tables: tuple[tuple[PhraseKind, Sequence[str]], ...] = (
            (PhraseKind.TERM, list(known.terms)),
            (PhraseKind.LAB, list(known.labs)),
            (PhraseKind.DRUG, list(known.drugs)),
            (PhraseKind.EXTERNAL, list(known.externals)),
            (PhraseKind.PROCEDURE, list(known.procedures)),
            (PhraseKind.CONDITION, list(known.conditions)),
            (PhraseKind.SYMPTOM, list(known.symptoms)),
        )
        return {name: kind for kind, rows in tables for name in rows}

    @cached_property
    def markup(self) -> Markup:
        """Marks what the tables' sentences name in passing."""
        return Markup(self.known)

    @cached_property
    def wordings(self) -> Wordings:
        """How else the tables' phrases may be written."""
        return Wordings(self.known)

    @cached_property
    def forms(self) -> dict[tuple[PhraseKind, str], tuple[str, ...]]:
        """The name and synonyms of each row; of symptoms those that follow "complains of"."""
        known = self.known
        found: dict[tuple[PhraseKind, str], tuple[str, ...]] = {}
        for kind, rows in (
            (PhraseKind.CONDITION, known.conditions.values()),
            (PhraseKind.PROCEDURE, known.procedures.values()),
            (PhraseKind.TERM, known.terms.values()),
        ):
            for row in rows:
                found[kind, row.id] = tuple(dict.fromkeys((row.name, *row.synonyms)))
        for symptom in known.symptoms.values():
            nouns = [form for form in symptom.synonyms if not form.endswith(_ADJECTIVES)]
            found[PhraseKind.SYMPTOM, symptom.id] = (symptom.name, symptom.name, *nouns)
        return found

    @cached_property
    def vague(self) -> dict[str, tuple[str, ...]]:
        """The vague phrases of each condition, adjectives only where there is nothing else."""
        found = {}
        for row in self.known.conditions.values():
            nouns = tuple(form for form in row.vague if not form.endswith(_ADJECTIVES))
            found[row.id] = nouns or row.vague
        return found

    def with_code(self, *beginnings: str) -> list[str]:
        """Ids of the conditions whose ICD-10 code begins so."""
        found = self._with_code.get(beginnings)
        if found is None:
            rows = self.known.conditions.values()
            found = [row.id for row in rows if row.icd10.startswith(beginnings)]
            self._with_code[beginnings] = found
        return found


class NoteAuthor:
    """One author writing about one stay."""

    def __init__(
        self, world: AuthorContext, stay: Admission, author: Author, dice: RandomDraws
    ) -> None:
        self.world = world
        self.known = world.known
        self.stay = stay
        self.author = author
        self.dice = dice

    # -- naming things --------------------------------------------------------------------------

    def illness(
        self, illness: Illness, assertion: PhraseAssertion = PhraseAssertion.PRESENT
    ) -> Phrase:
        """A phrase for something the patient has, as exact as this chart ever says it."""
        row = self.known.conditions[illness.row]
        if illness.shown is Shown.VAGUE:
            return self._vague(row.id, assertion)
        if row.vague and self.dice.random() < 0.1:
            return self._vague(row.id, assertion)
        return self.condition(row.id, assertion)

    def _vague(self, name: str, assertion: PhraseAssertion) -> Phrase:
        forms = self.world.vague[name]
        return self._phrase(forms, PhraseKind.CONDITION, name, assertion, Form.VAGUE)

    def condition(self, name: str, assertion: PhraseAssertion = PhraseAssertion.PRESENT) -> Phrase:
        """A phrase that says exactly this condition."""
        row = self.known.conditions[name]
        return self._either(
            row.abbreviations,
            self._full(PhraseKind.CONDITION, name),
            PhraseKind.CONDITION,
            name,
            assertion,
        )

    def symptom(self, name: str, assertion: PhraseAssertion = PhraseAssertion.PRESENT) -> Phrase:
        """A phrase for a symptom, a noun where possible."""
        row = self.known.symptoms[name]
        return self._either(
            row.abbreviations,
            self._full(PhraseKind.SYMPTOM, name),
            PhraseKind.SYMPTOM,
            name,
            assertion,
        )

    def procedure(self, name: str, assertion: PhraseAssertion = PhraseAssertion.PRESENT) -> Phrase:
        """A phrase for a procedure."""
        row = self.known.procedures[name]
        return self._either(
            row.abbreviations,
            self._full(PhraseKind.PROCEDURE, name),
            PhraseKind.PROCEDURE,
            name,
            assertion,
        )

    def drug(self, name: str) -> Phrase:
        """A drug by its generic name, a brand or a short form."""
        row = self.known.drugs[name]
        throw = self.dice.random()
        if row.abbreviations and throw < 0.25 * self.author.abbreviates:
            return self._phrase(
                row.abbreviations, PhraseKind.DRUG, name, PhraseAssertion.PRESENT, Form.SHORT
            )
        if row.brands and throw > 0.8:
            return self._phrase(
                row.brands, PhraseKind.DRUG, name, PhraseAssertion.PRESENT, Form.FULL
            )
        return Phrase(row.name, PhraseKind.DRUG, name, PhraseAssertion.PRESENT, Form.FULL, row.name)

    def lab(self, name: str, *, printed: bool = False) -> Phrase:
        """A laboratory test, usually by its short form; always by the same one when printed."""
        row = self.known.labs[name]
        if row.abbreviations and printed:
            first = row.abbreviations[0]
            return Phrase(first, PhraseKind.LAB, name, PhraseAssertion.PRESENT, Form.SHORT, first)
        if row.abbreviations and self.dice.random() < 0.75:
            return self._phrase(
                row.abbreviations, PhraseKind.LAB, name, PhraseAssertion.PRESENT, Form.SHORT
            )
        return Phrase(row.name, PhraseKind.LAB, name, PhraseAssertion.PRESENT, Form.FULL, row.name)

    def external(self, name: str) -> Phrase:
        """How an injury came about."""
        row = self.known.externals[name]
        return self._phrase(
            row.phrases, PhraseKind.EXTERNAL, name, PhraseAssertion.PRESENT, Form.FULL
        )

    def name(self, row: str, assertion: PhraseAssertion = PhraseAssertion.PRESENT) -> Phrase:
        """A phrase for a row of any table."""
        kind = self.world.kinds.get(row)
        if kind is PhraseKind.SYMPTOM:
            return self.symptom(row, assertion)
        if kind is PhraseKind.CONDITION:
            return self.condition(row, assertion)
        if kind is PhraseKind.PROCEDURE:
            return self.procedure(row, assertion)
        if kind is PhraseKind.DRUG:
            return self.drug(row)
        if kind is PhraseKind.LAB:
            return self.lab(row)
        if kind is PhraseKind.EXTERNAL:
            return self.external(row)
        if kind is PhraseKind.TERM:
            term = self.known.terms[row]
            return self._either(
                term.abbreviations,
                self._full(PhraseKind.TERM, row),
                PhraseKind.TERM,
                row,
                assertion,
            )
        raise AuscultError(f"A template names {row!r}, which is in none of the tables.")

    def _full(self, kind: PhraseKind, row: str) -> tuple[str, ...]:
        return self.world.forms[kind, row]

    def _either(
        self,
        short: Sequence[str],
        full: Sequence[str],
        kind: PhraseKind,
        name: str,
        assertion: PhraseAssertion,
    ) -> Phrase:
        if short and self.dice.random() < self.author.abbreviates:
            return self._phrase(short, kind, name, assertion, Form.SHORT)
        return self._phrase(full, kind, name, assertion, Form.FULL)

    def _phrase(
        self,
        forms: Sequence[str],
        kind: PhraseKind,
        row: str,
        assertion: PhraseAssertion,
        form: Form,
    ) -> Phrase:
        proper = forms[int(self.dice.random() * len(forms))]
        if form is not Form.SHORT and self.dice.random() < self.author.rewords:
            others = self.world.wordings.of(kind, row, proper)
            if others:
                proper = others[int(self.dice.random() * len(others))]
        words = proper
        if (
            form is Form.SHORT
            and self.author.lower
            and len(proper) > 2
            and kind is not PhraseKind.LAB
        ):
            words = proper.lower()
        return Phrase(words, kind, row, assertion, form, proper)

    # -- sentences ------------------------------------------------------------------------------

    def say(self, template: str, **slots: Piece | Text) -> Text:
        """A sentence or part of one from its template, its first letter as it comes."""
        text: Text = []
        for literal, slot in parse(template):
            if literal:
                text.append(literal)
            if slot:
                given = slots.get(slot)
                extend(text, self._slot(slot) if given is None else given)
        return text

    def of_table(self, sentences: Sequence[str], **slots: Piece | Text) -> Text:
        """One of a table's sentences, filled, with what it names in passing marked.

        One that names a condition the patient has not got is used only when all do.
        """
        return capital(self.say(self.choice(sentences), **slots))

    def choice(self, sentences: Sequence[str]) -> str:
        """One of a table's sentences as a template."""
        marked = [self.world.markup.of(sentence) for sentence in sentences]
        return self.dice.pick(self.fitting(marked) or marked)

    def _may_name(self, row: str) -> bool:
        return row in self.stay.plain or self.world.kinds[row] is not PhraseKind.CONDITION

    def sentence(self, template: str, **slots: Piece | Text) -> Text:
        """A template filled, beginning with a capital."""
        return capital(self.say(template, **slots))

    def one_of(self, templates: Sequence[str], **slots: Piece | Text) -> Text:
        """One of the templates that do not contradict the chart, filled; nothing if none fits."""
        start = int(self.dice.random() * len(templates))
        for at in range(len(templates)):
            template = templates[(start + at) % len(templates)]
            if self.fits(template):
                return capital(self.say(template, **slots))
        return []

    def fitting(self, templates: Sequence[str]) -> list[str]:
        """Those of the templates that do not contradict the chart."""
        return [template for template in templates if self.fits(template)]

    def fits(self, template: str) -> bool:
        """Whether a template denies nothing that is there and claims nothing that is not."""
        present = self.stay.present
        for sign, row in claims(template):
            if sign == "!":
                if row not in self.stay.facts:
                    return False
            elif sign == "-" or sign == "?" or sign == "^":
                if row in present:
                    return False
            elif sign == "+" and row not in present:
                if self.world.kinds.get(row) in _CLAIMED:
                    return False
            elif sign == "=" and not self._may_name(row):
                return False
        return True

    def _slot(self, slot: str) -> Piece | Text:
        if slot[0] == "!":
            return []
        if slot[0] == "=":
            row, _, words = slot[1:].partition("|")
            if not self._may_name(row):
                return words
            kind = self.world.kinds[row]
            return Phrase(words, kind, row, PhraseAssertion.PRESENT, Form.PASSING, words)
        if slot[0] in SIGNS:
            row, _, words = slot[1:].partition("|")
            if words and slot[0] == "-" and row in self.stay.present:
                return words  # a sentence with no better one beside it
            if words:
                kind = self.world.kinds.get(row, PhraseKind.TERM)
                return Phrase(words, kind, row, SIGNS[slot[0]], Form.SHORT, words)
            return self.name(row, SIGNS[slot[0]])
        woman = self.stay.patient.is_woman
        pronoun = _PRONOUNS.get(slot)
        if pronoun is not None:
            return pronoun[woman]
        if slot == "pt":
            return self.patient()
        if slot == "man":
            return self.dice.pick(("woman", "female", "F") if woman else ("man", "male", "M"))
        if slot == "age":
            return identity.age(self.stay.age)
        if slot == "unit":
            return self.stay.unit
        raise AuscultError(f"A template has the slot {slot!r}, which nobody fills.")

    def smudged(self, text: Text) -> Text:
        """The text with this author's typing errors."""
        return smudge(text, self.author.typos, self.dice) if self.author.typos > 0.0005 else text

    # -- people, places and times ---------------------------------------------------------------

    def patient(self) -> Text:
        """The patient, as this author calls one in the middle of a sentence."""
        way = self.author.patient
        if way == "name" and self.dice.random() < 0.6:
            return self.formal_name()
        if way == "pronoun":
            return ["she" if self.stay.patient.is_woman else "he"]
        return [{"pt": "pt", "Pt": "pt"}.get(way, "the patient")]

    def formal_name(self) -> Text:
        """Mr. or Ms. and the surname."""
        title = "Ms. " if self.stay.patient.is_woman else "Mr. "
        return [title, identity.last_name(self.stay.patient.last)]

    def on(self, when: date | datetime, style: str | None = None) -> HiddenIdentifier:
        """A date as this author writes dates."""
        return identity.day(when, self.stay.patient.shift, style or self.author.dates)

    def year(self, when: date | datetime) -> HiddenIdentifier:
        """A year."""
        return identity.year(when, self.stay.patient.shift)

    def clock(self, when: datetime) -> str:
        """A time of day: `8:05 PM`."""
        return f"{(when.hour + 11) % 12 + 1:d}:{when.minute:02d} {'AM' if when.hour < 12 else 'PM'}"

    def signature(self) -> Text:
        """The author's name, which is an identifier."""
        return [
            identity.staff_first(self.author.first),
            " ",
            identity.staff_last(self.author.last),
            f", {self.author.title}",
        ]


@cache
def claims(template: str) -> tuple[tuple[str, str], ...]:
    """The signs and ids of a template's slots."""
    return tuple(
        (slot[0], slot[1:].partition("|")[0])
        for _, slot in parse(template)
        if slot and (slot[0] in SIGNS or slot[0] in "!=")
    )
