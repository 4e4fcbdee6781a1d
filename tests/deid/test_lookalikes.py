"""Words that look like secrets and are none: eponyms, plain words, scores, doses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from auscult.core import Note
from auscult.deid import builtin, detect

EPONYMS = """
Parkinson's disease|Foley catheter|Foley in place|Bell's palsy|Apgar 8 and 9|Apgar scores 7/9
Glasgow Coma Scale|Crohn's disease|Crohn disease|Hodgkin's lymphoma|non-Hodgkin lymphoma
Swan-Ganz catheter|Swan placed|positive Babinski|Babinski sign|Graves' disease|Graves disease
Hashimoto's thyroiditis|Cushing's syndrome|Cushing syndrome|Addison's disease|Addison crisis
Alzheimer's dementia|Alzheimer disease|Huntington's chorea|Tourette syndrome
Guillain-Barre syndrome|Guillain-Barré syndrome|Wernicke encephalopathy|Korsakoff psychosis
Raynaud's phenomenon|Sjogren's syndrome|Sjögren syndrome|Marfan syndrome|Ehlers-Danlos syndrome
Down syndrome|Turner syndrome|Klinefelter syndrome|Kaposi's sarcoma|Ewing sarcoma|Wilms tumor
Burkitt lymphoma|Barrett's esophagus|Mallory-Weiss tear|Zenker's diverticulum
Meckel's diverticulum|Boerhaave syndrome|Murphy's sign|negative Murphy|McBurney's point tenderness
Rovsing's sign|Cullen's sign|Grey Turner sign|Kernig's sign|Brudzinski's sign|Romberg negative
Romberg sign|Trendelenburg position|Phalen's test|Tinel's sign|Lachman test|McMurray test
Homans' sign|Homan's sign|Chvostek's sign|Trousseau's sign|Virchow's node|Osler nodes
Janeway lesions|Heberden's nodes|Bouchard's nodes|Charcot joint|Charcot-Marie-Tooth disease
Baker's cyst|Dupuytren's contracture|Colles fracture|Colles' fracture|Smith fracture
Jones fracture|Bennett fracture|Monteggia fracture|Galeazzi fracture|Pott's disease
Lisfranc injury|Salter-Harris II fracture|Hill-Sachs lesion|Bankart lesion|Paget's disease
Whipple procedure|Billroth II anastomosis|Nissen fundoplication|Heller myotomy|Roux-en-Y bypass
Hartmann's procedure|Hartmann pouch|Kocher maneuver|Kocher incision|Pfannenstiel incision
Pringle maneuver|Valsalva maneuver|Heimlich maneuver|Epley maneuver|Dix-Hallpike test|Allen test
Jackson-Pratt drain|Penrose drain|Hickman catheter|Hickman line|Groshong catheter
Tenckhoff catheter|Broviac line|Fogarty balloon|Dobhoff tube|Levin tube|Sengstaken-Blakemore tube
Yankauer suction|Kirschner wire|Kelly clamp|Kerlix wrap|Unna boot|Doppler ultrasound
Holter monitor|Bruce protocol|Greenfield filter|St. Jude valve|Carpentier-Edwards valve
Starr-Edwards valve|Bjork-Shiley valve|Wolff-Parkinson-White syndrome|Brugada syndrome
Mobitz II block|Wenckebach block|Kussmaul breathing|Cheyne-Stokes respirations|Corrigan pulse
Austin Flint murmur|Graham Steell murmur|Eisenmenger syndrome|Ebstein anomaly|tetralogy of Fallot
Kawasaki disease|Takayasu arteritis|Buerger's disease|Wegener's granulomatosis
Goodpasture syndrome|Henoch-Schonlein purpura|Berger's disease|Alport syndrome|Fanconi syndrome
Bartter syndrome|Liddle syndrome|Conn's syndrome|Sheehan syndrome|Wilson's disease
Budd-Chiari syndrome|Child-Pugh class B|Gilbert's syndrome|Dubin-Johnson syndrome|Reye's syndrome
Peyronie's disease|Bartholin cyst|Asherman syndrome|Meigs syndrome|Bishop score|Leopold maneuvers
Gram stain|Gram negative rods|Giemsa stain|Ziehl-Neelsen stain|Coombs test|Mantoux test|Pap smear
Epstein-Barr virus|Lyme disease|Chagas disease|Stevens-Johnson syndrome|Behcet's disease
Still's disease|Felty syndrome|Reiter's syndrome|Gaucher disease|Tay-Sachs disease|Fabry disease
Hunter syndrome|Lou Gehrig's disease|Lewy body dementia|Pick's disease|Creutzfeldt-Jakob disease
Bence Jones protein|Wells score|Ranson criteria|Braden score 16|Gleason 3+4|Breslow depth
Karnofsky score|Mallampati II|Kerley B lines|Hampton hump|Purkinje fibers|Bowman capsule
Hunt and Hess grade 3|Dressler syndrome|Braxton Hicks contractions|Braxton-Hicks|Clark level III
Bivona trach|Bivona tube
""".replace("\n", "|")
PHRASES = [phrase for phrase in EPONYMS.split("|") if phrase]

SENTENCES = (
    "Pt with {}.",
    "History of {} noted.",
    "{}.",
    "Assessment: {}, stable.",
    "The patient has {} and is comfortable.",
)

PLAIN = (
    "May shower, no baths.",
    "She may go home. Will recheck in am.",
    "Will follow up. Mark the site before surgery. Grant access to the chart.",
    "Temple pain on the left. Long term use of steroids. Rose colored urine.",
    "March in place exercises. Young woman in no distress. White count normal.",
    "Hope for extubation tomorrow. Art line placed. Iris intact.",
    "Brown sputum, green drainage, black stools. Stone seen on CT. Burns to the arm.",
    "Rich diet. Day 3 of antibiotics. Price of the drug discussed.",
    "Born FT by NSVD. Walks 200 FT with walker. Works FT in retail.",
    "Left Ventricle - Long Axis Dimension. LEFT ATRIUM: Normal.",
    "T4 and free T3 normal. CN II-XII intact. L4-L5 disc. S1 S2 normal.",
    "Strength 5/5 throughout. 3/6 systolic murmur. BP 120/80. Available 24/7.",
    "Hypotension 2/2 sepsis. Pain 8/10. Reflexes 2/4. Motor 4/5 bilaterally.",
    "Give 1/2 tab daily. 1/2 NS at 100 cc/hr. Vision 20/20. Edema 2+.",
    "PSV 8/5, BiPAP 10/5. Apgars 8/9. Alert and oriented x3.",
    "pH 7.33, FiO2 60%, K 3.5-5.0. Na-141 K-5.5. Troponin 1.42.",
    "Take 1000 mg twice daily. Urine output 1850 cc. IS to 1500. Room 1204.",
    "Lasix at 2000, heparin at 1800. I/O: in 1950 (IV 1062, po 888), out 1847.",
    "5th metatarsal, 7th cranial nerve, 2nd intercostal space, on the 3rd attempt she",
    "45 year old man. 89 yo F. Smoked 95 pack-years. HR 95, sat 98%.",
    "Lives alone. Lives at home with wife. Retired teacher. Denies tobacco.",
    "Transferred to the ICU, then to Medicine. Seen in Cardiology Clinic. Brief Hospital Course.",
    "MR HEAD W/O CONTRAST. Δ MS. We found nothing. Outside hospital records.",
    "Allergies: NKDA. Attending addendum. Chief Complaint: cough.",
    "Bayer 81 mg PO DAILY. Allegra PRN. Candida in urine.",
    "Philadelphia chromosome positive. Ottawa ankle rules. Milwaukee brace. Paris criteria.",
    "She walked for 30 to 45 minutes. Calories: 2050-2460. Ratio 1-2.",
)


def hidden(text: str, time: str | None = "2004-06-01") -> list[str]:
    (found,) = detect([Note("n", "c", text=text, time=time)], builtin())
    return [text[one.begin : one.end] for one in found if one.hide]


def test_the_list_of_eponyms_is_long_enough_to_mean_something() -> None:
    assert len(set(PHRASES)) >= 150


@pytest.mark.parametrize("case", [str, str.upper, str.lower])
@pytest.mark.parametrize("phrase", PHRASES)
def test_no_clinical_eponym_is_lost(phrase: str, case: Callable[[str], str]) -> None:
    written = [case(sentence.format(phrase)) for sentence in SENTENCES]
    assert not [sentence for sentence in written if hidden(sentence)]


@pytest.mark.parametrize("case", [str, str.upper, str.lower])
@pytest.mark.parametrize("sentence", PLAIN)
def test_plain_words_and_figures_stay(sentence: str, case: Callable[[str], str]) -> None:
    assert hidden(case(sentence)) == []


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Mr. Foley has a Foley.", ["Foley"]),
        ("Ms. Bell has Bell's palsy.", ["Bell"]),
        ("Dr. Parkinson, Parkinson's disease clinic", ["Parkinson"]),
        ("Seen by Hope Graves, RN, for Graves' disease.", ["Hope", "Graves"]),
        ("Ms. May may shower in May.", ["May", "May"]),
        ("Her sister June visited. Will call.", ["June"]),
        ("Dr. Long: Long term use.", ["Long"]),
        ("Crohn, RN, saw a patient with Crohn's.", ["Crohn"]),
        ("Attending: Grace\nMay shower.", ["Grace"]),
        ("Mr. White, white count 12", ["White"]),
        ("Mrs. Young is a young woman", ["Young"]),
    ],
)
def test_the_same_word_as_a_name_and_as_itself(sentence: str, names: list[str]) -> None:
    assert hidden(sentence) == names


def test_a_patient_called_like_a_catheter() -> None:
    text = "Mr. Foley admitted. Foley patent, draining. Foley denies pain."
    (found,) = detect([Note("n", "c", text=text)], builtin())
    assert [one.begin for one in found if one.hide] == [4, text.index("Foley denies")]
