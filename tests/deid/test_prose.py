"""Ordinary words of real prose: where a name could stand, and none does."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.core import Note
from auscult.deid import DeidOptions, PhiKind, ReplacementStyle, builtin, detect
from auscult.deid.patients import PatientNotes
from auscult.deid.scrub import Scrubber


def hidden(text: str) -> list[str]:
    (found,) = detect([Note("n", "c", text=text, time="2004-06-01")], builtin())
    return [text[one.begin : one.end] for one in found if one.hide]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Dr. A. He put her on insulin.", ["A"]),
        ("Seen by Dr. X. The patient did well.", ["X"]),
        ("I spoke with Dr. B. She denies chest pain.", ["B"]),
        ("Read by Dr. K. There is no effusion. The heart size is normal.", ["K"]),
        ("Closed by Dr. C. B. Her wound is dry.", ["C", "B"]),
        ("Discussed with Dr. T. On admission she was well.", ["T"]),
        ("Seen by Dr. C. They will follow up. Dr. A. This is a man of 40.", ["C", "A"]),
        ("Dr. A. We will go on, Dr. A. It was removed, Dr. A. No further workup.", ["A", "A", "A"]),
        # A surname all the same, or possibly one.
        ("Called by Dr. A. The, and by Dr. B. Not.", ["A", "The", "B", "Not"]),
        ("Seen by Dr. A. They MD, by Dr. A. On yesterday.", ["A", "They", "A", "On"]),
        ("Dr. A. He saw her.", ["A", "He"]),
        ("Dr. A. He, MD, put her on insulin.", ["A", "He"]),
        ("Dr. He put her on insulin.", ["He"]),
        ("Dr. M. Her wound clinic was called.", ["M", "Her"]),
        ("Dr. A. White saw her.", ["A", "White"]),
        ("Dr. A. Long, cardiology, agrees.", ["A", "Long"]),
        ("Dr. A. Venkataraman put her on insulin.", ["A", "Venkataraman"]),
        ("Mary B. With this she left.", ["Mary", "B", "With"]),
        ("Dr. James T. Her wound is dry.", ["James", "T", "Her"]),
    ],
)
def test_after_an_initial_a_sentence_may_end(text: str, names: list[str]) -> None:
    assert hidden(text) == names


@pytest.mark.parametrize(
    "text",
    [
        # Closed terms.
        "The Duarte variant and the Harris-Benedict prediction formula.",
        "The McLeod phenotype, and Kell antigens; sent for Goldmann perimetry.",
        "Seen with an ELISA kit: Gly to Val, then 12 Val-- > Met.",
        # Departments.
        "She was referred to the Internal Medicine Department and to Plastic Surgery.",
        "Admitted to the Neonatal Intensive Care Unit, then to the Nutrition Service.",
        "Sent to the Department of Oral and Maxillofacial Surgery.",
        "Transferred from the Metabolic Diseases Unit of the University Hospital.",
        "He came to our urology clinic.",
        # Figures: one in so many, dilutions, scores, ranges, shares, temperatures, rates.
        "It occurs in 1/20, 000 births; titer of 1/20; a ratio of 1/4.",
        "5/5 strength, vision was 20/40, diluted to 1/160.",
        "Slept on 3-4 pillows, fell from 12 FT STORY.",
        "Nearly 90 percent; temperature was 105 F; a heart rate of 110m.",
    ],
)
def test_prose_without_names_stays_as_it_is(text: str) -> None:
    assert hidden(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Maria Duarte variant analysis.", ["Maria", "Duarte"]),
        ("Spoke to Val -> Met with family.", ["Val"]),
        ("Temperature of 95 year old mother was normal.", ["95"]),
        ("We met the Collins family.", ["Collins"]),
        ("Sent to the Dialysis Unit of Kestrel Hospital.", ["Kestrel Hospital"]),
        ("Sent to the Neurology Ward of Kestrel Bay.", ["Neurology Ward of Kestrel Bay"]),
        (
            "Transferred from the Metabolic Diseases Unit of the Memorial Hospital.",
            ["Metabolic Diseases Unit of the Memorial Hospital"],
        ),
        ("Sent to North Internal Medicine.", ["North Internal Medicine"]),
        (
            "Transferred from Internal Medicine at Kestrel Manor.",
            ["Internal Medicine at Kestrel Manor"],
        ),
        ("nearly 93 years old; a 91 female", ["93", "91"]),
        ("Surgery (3/14), CT chest 4/8: clear. Vitals on 5-6 were fine.", ["3/14", "4/8", "5-6"]),
        ("Call +44 20 7946 0958.", ["+44 20 7946 0958"]),
    ],
)
def test_and_what_identifies_is_found_beside_it(text: str, words: list[str]) -> None:
    assert hidden(text) == words


def test_the_papers_own_example_becomes_a_general_word() -> None:
    """Pestian et al. 2007: FT is full-term, feet, or Fort, as in Fort Bragg."""
    text = "FT infant, 3 FT tall, of a soldier at FT Bragg."
    options = DeidOptions(seed="one", style=ReplacementStyle.PAPER)
    patient = PatientNotes("p", (Note("n", "c", "p", text=text),))
    scrubbed = Scrubber(options, builtin()).scrub(patient)
    assert scrubbed.notes[0].text == "FT infant, 3 FT tall, of a soldier at Town."


def test_a_word_that_begins_a_sentence_is_not_learned_as_a_name() -> None:
    first, second = "Dr. A. The patient rests. Dr. Z. She slept.", "Later The rest did her good."
    notes = [Note("m", "c", text=first), Note("n", "c", text=second)]
    for note, found in zip(notes, detect(notes, builtin()), strict=True):
        names = [(note.text or "")[f.begin : f.end] for f in found if f.kind is PhiKind.NAME]
        assert not {"The", "She"} & set(names)


@pytest.mark.real
def test_case_reports_keep_their_words(shared_data: Path) -> None:
    """Of all words but dates and ages, few go, real places and hospitals included."""
    files = sorted((shared_data / "codiesp" / "dev" / "text_files_en").glob("*.txt"))
    texts = [file.read_text("utf-8") for file in files]
    words = sum(len(text.split()) for text in texts)
    replaced = 0
    for text in texts:
        (found,) = detect([Note("n", "c", text=text)], builtin())
        for one in found:
            if one.hide and one.kind not in (PhiKind.DATE, PhiKind.AGE):
                replaced += len(text[one.begin : one.end].split())
    assert words > 60_000
    assert replaced / words <= 0.0013  # 0.0017 with departments
