"""What was done and how it went, problem by problem; orders; plans."""

from __future__ import annotations

from collections.abc import Sequence

from auscult.synth import phrases
from auscult.synth.findings import lab_trend
from auscult.synth.history import ruled_out
from auscult.synth.note_author import NoteAuthor
from auscult.synth.note_parts import (
    PhraseAssertion,
    Piece,
    Text,
    capital,
    extend,
    listed,
    upper,
)
from auscult.synth.stay import ConditionRole, Illness, Order

_HEADED = "# {it}: "
"""How a story of the tables begins that has its own heading."""
_PROPHYLAXIS = (
    "# PPX: heparin SC for {dvt} prophylaxis, PPI, bowel regimen\n",
    "# Prophylaxis: {dvt}: SQ heparin. GI: pantoprazole. Mouth care per protocol.\n",
    "Prophylaxis: pneumoboots given {dvt} risk, bowel regimen.\n",
    "# PROPHY: HSQ, H2 blocker\n",
)
_CODE_STATUS = ("# CODE: full\n", "Code status: Full code\n", "# Code: presumed full\n")


def header(scribe: NoteAuthor, number: int, phrase: Piece | Text) -> Text:
    """A problem's heading as the author writes them."""
    title = capital(extend([], phrase))
    if scribe.author.shouts:
        title = upper(title)
    bullet = scribe.author.bullet
    if bullet == "":
        return [*title, ": "]
    if bullet.startswith("1"):
        return [bullet.replace("1", str(number)), " ", *title, ": "]
    return [bullet, " ", *title, ": "]


def problem(scribe: NoteAuthor, illness: Illness, number: int, *, brief: bool = False) -> Text:
    """One problem with its heading: what was found, done and decided about it."""
    dice, row = scribe.dice, scribe.known.conditions[illness.row]
    sentences: list[Text] = []
    story = scribe.choice(row.course or ("{it} was managed as below.",))
    head: Text = []
    if story.startswith(_HEADED) or dice.chance(0.75):
        head = header(scribe, number, scribe.illness(illness))
    it = scribe.illness(illness)
    sentences.append(scribe.sentence(story.removeprefix(_HEADED), it=it))
    if not brief:
        sentences += _more(scribe, illness)
    text = head
    for at, sentence in enumerate(s for s in sentences if s):
        extend(text, " " if at else "", sentence)
    return [*text, "\n"]


def _more(scribe: NoteAuthor, illness: Illness) -> list[Text]:
    stay, dice = scribe.stay, scribe.dice
    row = scribe.known.conditions[illness.row]
    sentences: list[Text] = []
    if illness.role is ConditionRole.LASTING:
        drugs = [order.row for order in stay.home_drugs if order.row in row.drugs]
        if drugs:
            names = listed([scribe.drug(drug) for drug in drugs[:2]])
            sentences.append(scribe.sentence(dice.pick(phrases.CONTINUED), drugs=names))
        elif dice.chance(0.5):
            sentences.append([dice.pick(phrases.STABLE)])
        return sentences
    others = [i for i in stay.told if i.row != illness.row and i.role is not ConditionRole.LASTING]
    if others and dice.chance(0.25):
        sentences.append(
            scribe.sentence(
                dice.pick(phrases.BECAUSE),
                due=dice.pick(phrases.DUE),
                other=scribe.illness(dice.pick(others)),
            )
        )
    if dice.chance(0.6):
        sentences.append(lab_trend(scribe, illness, dice.pick(phrases.TRENDED)))
    drugs = [order.row for order in stay.new_drugs if order.row in row.drugs]
    if drugs and dice.chance(0.75):
        names = listed([scribe.drug(drug) for drug in drugs[:3]])
        sentences.append(scribe.sentence(dice.pick(phrases.TREATED), drugs=names))
    for deed in stay.deeds:
        if deed.told and deed.row in row.procedures:
            done = scribe.known.procedures[deed.row]
            sentences.append(scribe.of_table(done.sentences, it=scribe.procedure(deed.row)))
    mended = dice.pick(phrases.MENDED)
    if mended:
        sentences.append(scribe.say(mended))
    return sentences


def unexplained(scribe: NoteAuthor, row: str, number: int) -> Text:
    """A symptom that stayed without a diagnosis, which is therefore coded."""
    head = header(scribe, number, scribe.symptom(row))
    story = scribe.dice.pick(
        (
            "Etiology of {it} remained unclear despite workup. Resolved with supportive care.",
            "No cause found. Symptoms improved on their own.",
            "Unclear etiology, {it} to be followed by {+primary_care_physician|PCP}.",
            "Workup of {it} unrevealing. Will follow up as outpatient.",
            "Persistent {it} without clear source; improved by discharge.",
        )
    )
    return [*head, *scribe.sentence(story, it=scribe.symptom(row)), "\n"]


def doubts(scribe: NoteAuthor, rows: Sequence[str], number: int) -> Text:
    """Conditions thought of and not found, or left open."""
    text: Text = []
    dice = scribe.dice
    for at, row in enumerate(rows):
        throw = dice.random()
        if throw < 0.35:
            head = header(
                scribe, number + at, ["R/o ", scribe.condition(row, PhraseAssertion.UNCERTAIN)]
            )
            extend(text, head, ruled_out(scribe, row), "\n")
        elif throw < 0.6:
            extend(text, ruled_out(scribe, row), "\n")
        elif throw < 0.8:
            it = scribe.condition(row, PhraseAssertion.UNCERTAIN)
            extend(text, capital(scribe.say(dice.pick(phrases.UNCERTAIN), it=it)), ".\n")
        elif throw < 0.9 and len(rows) > 1:
            other = rows[(at + 1) % len(rows)]
            extend(
                text,
                scribe.sentence(
                    dice.pick(phrases.UNPROVEN),
                    it=scribe.condition(row, PhraseAssertion.UNCERTAIN),
                    other=scribe.condition(other, PhraseAssertion.UNCERTAIN),
                ),
                "\n",
            )
        else:
            it = scribe.condition(row, PhraseAssertion.HYPOTHETICAL)
            extend(text, capital(scribe.say(dice.pick(phrases.HYPOTHETICAL), it=it)), ".\n")
    return text


def housekeeping(scribe: NoteAuthor) -> Text:
    """Diet, prophylaxis and code status, at the end of every plan."""
    dice, stay = scribe.dice, scribe.stay
    text: Text = [
        dice.pick(
            (
                "# FEN: IVF, replete lytes, regular diet\n",
                "# FEN/GI: NPO for now\n",
                "FEN: low salt diet, replete prn\n",
                "",
            )
        )
    ]
    clots = [row for row in scribe.world.with_code("I82.4") if row not in stay.present]
    if clots and dice.chance(0.8):
        dvt = scribe.condition(clots[0], PhraseAssertion.HYPOTHETICAL)
        extend(text, scribe.say(dice.pick(_PROPHYLAXIS), dvt=dvt))
    limits = [i for i in stay.told if scribe.known.conditions[i.row].icd10 == "Z66"]
    if limits:
        extend(text, "# CODE: ", scribe.illness(limits[0]), "\n")
    else:
        extend(text, dice.pick(_CODE_STATUS))
    return text


def medications(scribe: NoteAuthor, orders: Sequence[Order], *, numbered: bool) -> Text:
    """A list of drugs with their orders."""
    text: Text = []
    for at, order in enumerate(orders, 1):
        drug = capital([scribe.drug(order.row)])
        # What a drug is to be taken for if need be is no complaint of today.
        ordered = scribe.world.markup.of(order.order).replace("{=", "{~")
        extend(text, f"{at}. " if numbered else "", drug, " ", scribe.say(ordered), "\n")
    return text or ["None\n"]


def discharge_orders(scribe: NoteAuthor) -> list[Order]:
    """What the patient goes home on."""
    stay = scribe.stay
    kept = [order for order in stay.home_drugs if order.row not in stay.stopped]
    oral = [o for o in stay.new_drugs if "IV" not in o.order and "drip" not in o.order]
    return [*kept, *oral[:4]]
