"""Which diagnoses explain which symptoms, so that the symptom is not coded beside them.

Signs and symptoms that a disease routinely comes with are not coded with it (ICD-9-CM guidelines
I.B.7, ICD-10-CM I.B.5). A row has the symptoms and the diagnoses of which they are a part; that an
organ is the same is not enough: high blood pressure has no murmur. Left out are symptoms that
ICD has coded beside the disease: what a stroke leaves behind (ICD-9-CM guidelines I.C.7.b), the
stroke scale and the coma scale (ICD-10-CM I.B.14), gangrene, shock, ascites, low oxygen, and what
stands under "use additional code" at an enlarged prostate.
"""

from __future__ import annotations

from functools import cache

from auscult.core import Code

_Range = tuple[str, str]
_ICD9_INFECTIONS = (
    "001-139 320-326 460-466 480-487 510 513 540-542 567 590 595 599.0 680-686 711 730 "
    "995.91-995.92"
)
_ICD10_INFECTIONS = (
    "A00-B99 G00-G09 J00-J22 J85-J86 K35-K37 K65 L00-L08 M00-M01 M86 N10-N12 N30 N39.0 R65.2"
)
# Symptoms, what they are, and the diagnoses that explain them.
_ICD9 = (
    ("780.0", "consciousness", "250.2-250.3 251.0 290-294 345 348.3 430-434 437.2"),
    ("780.1", "hallucinations", "290-298"),
    ("780.2", "syncope", "337.0 395 424.1 426-427 458"),
    ("780.3", "convulsions", "345"),
    ("780.4", "dizziness", "386 435"),
    ("780.6", "fever", _ICD9_INFECTIONS),
    ("781.0-781.3", "movements, gait, coordination", "330-334 340-341 343"),
    ("784.0", "headache", "320-322 339 346 430-432 437.2 461 473"),
    ("784.1", "sore throat", "034.0 460 462-463 465 472.1 474-475"),
    ("784.4", "voice", "464 476 478.3-478.7"),
    ("785.0-785.1", "fast heart, palpitations", "242 427"),
    ("785.2-785.3", "heart murmur and sounds", "391 394-397 424 745-747"),
    ("785.6", "lymph nodes", "075 200-202 289.1-289.3 683"),
    ("786.0 786.7", "breathing, chest sounds", "415-416 428 460-519"),
    ("786.2 786.4", "cough, sputum", "010-018 033 162 415-416 428 460-519"),
    ("786.3", "haemoptysis", "010-012 162 197.0 415.1 466 480-487 490-491 494 513"),
    ("786.5", "chest pain", "410-411 413 415.1 420 441.0 480-519"),
    ("786.6", "mass in the chest", "162-164 197.0-197.1"),
    ("787.0", "nausea, vomiting", "001-009 530-579"),
    ("787.1", "heartburn", "530.1 530.81"),
    ("787.2", "dysphagia", "150 530"),
    ("787.3", "gas", "001-009 530-579"),
    ("787.9", "diarrhoea and more", "001-009 530-579"),
    ("788.0", "renal colic", "590-594"),
    ("788.1-788.6", "passing urine", "590-599"),
    ("789.0", "abdominal pain", "001-009 530-579 590-592 599.0"),
    ("790.2", "glucose", "250"),
    ("791.0", "protein in the urine", "580-589"),
    ("791.5", "glucose in the urine", "250"),
    ("791.6-791.9", "urine, other", "590 595 599.0"),
)
_ICD10 = (
    ("R00.0 R00.2", "fast heart, palpitations", "A40-A41 E05 F10.13 F10.23 F10.93 I26 I47-I49"),
    ("R00.1", "slow heart", "I44-I45 I49.5"),
    ("R01", "heart murmur and sounds", "I01 I05-I08 I34-I39 Q20-Q25"),
    ("R03.0", "high reading of blood pressure", "I10-I16"),
    ("R03.1", "low reading of blood pressure", "I95"),
    ("R04.0", "nosebleed", "I78.0"),
    ("R04.2", "haemoptysis", "A15 C33-C34 C78.0 I26 J09-J18 J20-J22 J40-J42 J47 J85"),
    ("R05 R09.3", "cough, sputum", "A15-A19 A37 C33-C34 I26-I27 I50 J00-J99"),
    ("R06.0 R06.2-R06.3 R06.8", "breathing", "I26-I27 I50 J05 J09-J22 J40-J99"),
    ("R06.1", "stridor", "J04-J05 J38"),
    ("R06.7 R09.81-R09.82", "sneezing, stuffed nose", "J00-J01 J06 J30-J32"),
    ("R09.89", "other signs of the airways", "J00-J22 J40-J47"),
    (
        "R20",
        "numbness, tingling",
        "E08.4 E09.4 E10.4 E11.4 E13.4 G35 G43 G50-G63 I69 M50.1 M51.1 M54.1",
    ),
    ("R21 R23.8 L53.9", "rash, redness", "B35 B37.2 L00-L08 L20-L30 L40 L50 L57"),
    ("R07.0", "sore throat", "J00 J02-J03 J06 J31.2 J35-J36"),
    ("R07.1-R07.9", "chest pain", "I20-I22 I24 I25.11 I25.7 I26 I30 I71.0 J12-J18 J86 J90 J93"),
    ("R09.02", "low oxygen", "J96"),
    ("R09.1", "pleurisy", "J09-J18 J86 J90"),
    ("R10", "abdominal pain", "A00-A09 K20-K38 K50-K67 K80-K87 N10-N13 N20-N23 N30 N39.0"),
    ("R11", "nausea, vomiting", "A00-A09 G43 J21 K20-K38 K50-K52 K56 K80-K87"),
    ("R12", "heartburn", "K20-K21"),
    ("R13", "dysphagia", "C15 K20-K22"),
    ("R14", "gas", "A00-A09 K56-K59 K70.31 R18"),
    ("R16", "liver and spleen", "B15-B19 K70-K77"),
    ("R17", "jaundice", "B15-B19 K70-K77 K80 K83"),
    ("R19.7", "diarrhoea", "A00-A09 K50-K52 K58.0"),
    ("R25", "movements", "G10 G20-G26 G80-G83 I69"),
    ("R26-R27", "gait, coordination", "G10-G26 G35-G37 G80 G93.4 K76.82"),
    ("R30", "pain on passing urine", "A54 N10 N30 N34 N39.0 N41"),
    ("R31", "blood in the urine", "C64-C67 N00-N05 N20-N21 N30"),
    ("R32", "incontinence", "N39.3-N39.4"),
    ("R34", "no urine", "N17-N19"),
    ("R35.0-R35.1", "passing urine often", "N10 N30 N39.0"),
    ("R40.0-R40.1", "consciousness", "F05 G40-G41 G92-G93 I60-I63 K76.82"),
    ("R41.0 R41.82", "confusion", "F01-F05 F10.231 G40-G41 G92-G93 I60-I63 K76.82"),
    ("R42", "dizziness", "G45 H81-H82 I95"),
    ("R44", "hallucinations", "F05 F20-F29"),
    ("R49", "voice", "J04-J06 J37-J38"),
    ("R50", "fever", f"{_ICD10_INFECTIONS} H66 K57 K81 K83.0 N70-N73"),
    ("R53.81-R53.83", "tiredness", "D50-D64 E03 F32-F33 G92-G93 K76.82 J09-J11"),
    ("R51", "headache", "G00-G03 G43-G44 I60-I62 J01 J32"),
    ("R68.83", "chills", _ICD10_INFECTIONS),
    ("R55", "syncope", "G90.0 I35.0 I44-I49 I95 S06"),
    ("R56.9", "convulsions", "G40-G41"),
    ("R45.1", "restlessness", "F01-F05 F10.23 F20-F33"),
    ("F41.9", "anxiety", "F10.13 F10.23 F10.93"),
    ("R60", "swelling", "I50 I80 I82 I83 I87 I89.0 L03 N04 S00-S99"),
    ("R59", "lymph nodes", "B27 C81-C85 I88 L04"),
    ("R73", "glucose", "E08-E13"),
    ("R80", "protein in the urine", "N00-N08 N17-N18"),
    ("R81", "glucose in the urine", "E08-E13"),
    ("R82.7-R82.8", "urine, other", "N10 N30 N39.0"),
    ("D72.82", "white cells", f"{_ICD10_INFECTIONS} K57 K81 K83.0 K85"),
    ("H43.39", "floaters", "H33 H43.1 H43.81"),
    (
        "K92.0-K92.2",
        "bleeding of the gut",
        "I85.01 I85.11 K25.0 K25.4 K26.0 K26.4 K27.0 K27.4 "
        "K28.0 K28.4 K29.01 K31.811 K31.82 K55.21",
    ),
    ("L29", "itching", "A63.0 B86 H10 J30 L20-L30 L40 L50"),
    ("H53.14", "light hurts", "G00-G03 G43 H10 H15-H16 H20 S05"),
    ("K08.89", "toothache", "J01 J32 K02 K04-K05"),
    ("M25.4 M25.6", "swelling, stiffness of joints", "M05-M06 M10 M15-M19 M32"),
    ("M25.7", "spurs of bone", "M15-M19"),
    ("M54.1 M54.3-M54.5 M79.6 R26 R53.1", "pain, weakness of a root", "M50.1 M51.1"),
    ("M62.5", "wasting of muscles", "E40-E46"),
    ("M79.89", "swelling of a limb", "I50 I80 I82 I89.0 L03 M10 S00-S99"),
    ("N63", "lump in the breast", "C50 D05 D24"),
)


def is_symptom(code: Code) -> bool:
    """Whether a code is a symptom that some diagnosis can explain.

    >>> is_symptom(Code("ICD-10-CM", "R50.9")), is_symptom(Code("ICD-10-CM", "I10"))
    (True, False)
    """
    return bool(_explaining(code))


def explains(diagnosis: Code, symptom: Code) -> bool:
    """Whether a diagnosis, being definite, explains a symptom, so that only it is coded.

    >>> pneumonia, cough = Code("ICD-9-CM", "486"), Code("ICD-9-CM", "786.2")
    >>> explains(pneumonia, cough), explains(cough, pneumonia)
    (True, False)
    """
    if diagnosis.system != symptom.system:
        return False
    return any(_within(diagnosis.value, one) for one in _explaining(symptom))


@cache
def _explaining(symptom: Code) -> tuple[_Range, ...]:
    """The ranges of diagnoses that explain a symptom."""
    rows = _rows().get((symptom.system, symptom.value[:1]), ())
    return tuple(
        one
        for symptoms, by in rows
        if any(_within(symptom.value, ends) for ends in symptoms)
        for one in by
    )


@cache
def _rows() -> dict[tuple[str, str], list[tuple[tuple[_Range, ...], tuple[_Range, ...]]]]:
    """By system and first character of the symptoms, since most codes are no symptom at all."""
    found: dict[tuple[str, str], list[tuple[tuple[_Range, ...], tuple[_Range, ...]]]] = {}
    for system, rows in (("ICD-9-CM", _ICD9), ("ICD-10-CM", _ICD10)):
        for symptoms, _, by in rows:
            found.setdefault((system, symptoms[0]), []).append((_ranges(symptoms), _ranges(by)))
    return found


def _ranges(listed: str) -> tuple[_Range, ...]:
    """Ranges as ICD writes them: both ends are in, with all that is below them."""
    return tuple(
        (first, last or first) for first, _, last in (r.partition("-") for r in listed.split())
    )


def _within(value: str, ends: _Range) -> bool:
    """Whether a code begins with something from one beginning to another, as ICD's ranges read."""
    first, last = ends
    return first <= value[: len(first)] and value[: len(last)] <= last
