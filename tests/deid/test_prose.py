"""Ordinary words of real prose: where a name could stand, and none does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auscult.core import Note
from auscult.corpus import formats
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
        ("I spoke with Dr. B. She agrees.", ["B"]),
        ("Signed by Mary B. With this she left.", ["Mary", "B"]),
        ("Referred by Dr. C. Chest pain resolved.", ["C"]),
        ("Referred by Dr. C. Postoperatively she ate.", ["C"]),
        ("Referred by Dr. D. White count was 12.", ["D"]),
        ("Dr. K. Will see her tomorrow.", ["K"]),
        # A surname all the same.
        ("Dr. A. White saw her.", ["A", "White"]),
        ("Dr. A. Long, cardiology, agrees.", ["A", "Long"]),
        ("Dr. A. Venkataraman put her on insulin.", ["A", "Venkataraman"]),
        ("Dr. A. He, MD, put her on insulin.", ["A", "He"]),
        ("Dr. He put her on insulin.", ["He"]),
    ],
)
def test_after_an_initial_a_sentence_may_end(text: str, names: list[str]) -> None:
    assert hidden(text) == names


@pytest.mark.parametrize(
    "text",
    [
        # Relatives and their diseases.
        "Father, hypertension. Mother, Diabetes; brother, Asthma.",
        "She lives with her son and daughter,\nThe house has stairs.",
        # Eponyms: before and behind a thing, behind an article, with an adjective between.
        "A variant of the syndrome of Evans.",
        "A tear of stage III according to Lindqvist.",
        "The Emory reservoir and a Harlow flap were considered.",
        "The Markham variant and the Harris-Benedict prediction formula.",
        "It was a case of Emery Dreifuss muscular dystrophy.",
        # Published people, firms, trade names and doses.
        "As Brody et al. described, and Koenig and Wei et al. later.",
        "Vicryl (Johnson & Johnson) and a Sanders Inc. pump were used.",
        "Given Kena® twice, then Riva 15 mg PO BID.",
        # Abbreviations among small letters, units, letters of the genetic code.
        "Confirmed by ELISA, then a second ELISA was positive; 16 Fr Foley placed.",
        "Val to Leu at codon 54; Southern blot and Western blot analysis.",
        # Countries and what is larger.
        "He lived in Spain, Canada, Sierra Leone and the United States.",
        "Common in Ireland, in England and in North America; France and India too.",
        # Departments.
        "She was referred to the Internal Medicine Department and to Plastic Surgery.",
        "Admitted to the Neonatal Intensive Care Unit, then to the Nutrition Service.",
        "Sent to the Department of Oral and Maxillofacial Surgery.",
        "He was seen at the Peritoneal Dialysis Unit. Raised in the Emergency Department.",
        "The criteria of the American College of Rheumatology were met.",
        # Figures: shares, dilutions, scores, one in so many, ranges, machines.
        "Agglutination was positive (1/20). Titer 1/2048. Resistant (MIC < 1/19).",
        "Weakness of the left foot (4/5), pulses (2/4), Glasgow 6/15, 17% (3/18) of cases.",
        "It occurs in 3/40, 000 births; one bearer (1/35) was known.",
        "Slept on 3-4 pillows, fell on 5-6 stairs. A frameshift at codon 1987.",
        "Nearly 100 patients, nearly 90 percent, at least 105 female mice; temperature was 105 F.",
        "Y = 0.3 X + 0. 198 198.",
    ],
)
def test_prose_without_names_stays_as_it_is(text: str) -> None:
    assert hidden(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Mr. Brody had the syndrome of Evans.", ["Brody"]),
        ("We met the Collins family.", ["Collins"]),
        ("Jones's cardiac exam was normal.", ["Jones"]),
        ("Seen by Linda. Spoke with Carlos Evans.", ["Linda", "Carlos", "Evans"]),
        ("Her wife, Xiomara, called.", ["Xiomara"]),
        ("Virginia denies pain.", ["Virginia"]),
        ("Sent to the Dialysis Unit of Kestrel Hospital.", ["Kestrel Hospital"]),
        ("Worked at Caterpillar Inc. until (12/25).", ["Caterpillar Inc", "12/25"]),
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


def test_a_function_word_is_never_learned_as_a_name() -> None:
    first, second = "Dr. A. The plan: rest. Dr. Z. She slept.", "The rest did her good. She left."
    notes = [Note("m", "c", text=first), Note("n", "c", text=second)]
    for note, found in zip(notes, detect(notes, builtin()), strict=True):
        names = [(note.text or "")[f.begin : f.end] for f in found if f.kind is PhiKind.NAME]
        assert not {"The", "She"} & set(names)


@pytest.mark.real
def test_case_reports_keep_their_words(shared_data: Path) -> None:
    """Of all words but dates and ages, at most one in a thousand goes, real places included."""
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
    assert replaced / words <= 0.001


@pytest.mark.real
def test_sentences_of_reports_keep_their_first_word_behind_an_initial(shared_data: Path) -> None:
    reports = formats.read("cmc", shared_data / "cmc2007" / "dev.xml")
    lead, taken, count = "She was seen by Dr. A. ", 0, 0
    for note in list(reports.iter_notes())[:300]:
        for sentence in re.split(r"(?<=\.)\s+|\n+", note.text or ""):
            if re.match(r"[A-Z][a-z]+\b", sentence):
                (found,) = detect([Note("n", "c", text=lead + sentence)], builtin())
                taken += any(one.hide and one.begin == len(lead) for one in found)
                count += 1
    assert count > 500
    assert taken / count <= 0.03
