"""Clinical look-alikes: names that are not people here.

Foley, Bell, Apgar and Parkinson are patients' names too, and FT is full-term, Fort or feet. The
words around decide: `Foley catheter`, `Bell's palsy`, `Bruce protocol` are what the name stands
for; `Mr. Foley`, `Bell, RN` are people.
"""

from __future__ import annotations

import re

from auscult.deid.capitalized_words import CapitalizedWord
from auscult.deid.lexicon import EPONYM, GIVEN, SURNAME

_THINGS = r"""(?i:disease|syndrome|dz|synd|sign|signs|test|tests|score|scores|scale|palsy
    |phenomenon|paralysis
    |catheters?|cath|drains?|tubes?|lines?|bag|port|balloon|stents?|grafts?|valves?|rings?|clips?
    |pumps?
    |filters?|bandage|boot|boots|brace|collar|cast|splint|retractor|forceps|clamps?|needles?
    |wires?|pins?
    |nails?|rods?|plates?|knife|blade|speculum|scope|laryngoscope|pouch|monitor|recorder|doppler
    |fractures?|fx|hernias?|ulcers?|cysts?|tumou?rs?|sarcoma|lymphomas?|carcinoma|an[ae]mia|nodules?
    |nodes?|nodosities|bodies|body|cells?|lines|rings|spots?|plaques?|striae|triangle|angle|area
    |space
    |duct|glands?|ligament|tendon|fascia|membrane|muscle|canal|loop|fossa|pouch|ganglion|islets?
    |esophagus|oesophagus|thyroiditis|goit(?:er|re)|encephalopathy|psychosis|dementia|chorea|ataxia
    |dystrophy|myopathy|neuropathy|neuralgia|arteritis|vasculitis|purpura|angina|angiitis
    |contractures?
    |gangrene|diverticul(?:um|a)|hepatitis|cirrhosis|colitis|nephritis|meningitis|pneumonia|fever
    |tetralogy|anomaly|malformation|deformity|defect|complex|triad|pentad|trias|law|effect|reflex
    |reaction
    |murmurs?|rub|pulse|breathing|respirations?|rhythm|block|tachycardia|heart|waves?|sounds?|gallop
    |criteria|classification|staging|grade|grading|system|stage|class|index|rule|formula|equation
    |nomogram|protocol|guidelines?|position|positioning|man(?:eu|oeu)v(?:er|re)s?|procedures?|operation
    |repair|resection
    |anastomosis|incision|approach|technique|method|flap|shunt|amputation|arthroplasty
    |fundoplication
    |myotomy|osteotomy|ostomy|esophagectomy|stain|stains|smear|agar|culture|virus|bacillus|parasite
    |chart|lens|lamp|lenses|hand|foot|toe|finger|knee|elbow|shoulder|spine|kidney|liver|lung|skin
    |nose
    |gene|mutation|factor|protein|antigen|antibody|inclusions?|hyaline|degeneration|atrophy
    |sclerosis
    |questionnaire|inventory|assessment|exam|examination|exercises?|diet|solution|powder|paste|care
    |insufficiency|crisis|storm|tear|tears|lesion|lesions|varices|bleed|swab|suction|suctioning
    |mask|sling
    |lift|chair|bed|mattress|hugger|cream|dressing|stocking|stockings|hose|wrap|patch|strips?
    |trial|dissection|type|levels?|contractions?|trach|tracheostomy
    |chromosome|rules?|definition|scientific)\b"""
_OWNED = r"(?:['’]s?|s['’])?"
# What follows an eponym, with up to two words between: Hodgkin's non-B-cell lymphoma.
_THING = re.compile(
    rf"{_OWNED}(?:[ \n-](?:[A-Z][\w'’-]*|and|non|cell|type|grade)){{0,2}}?[ \n-]{_THINGS}",
    re.VERBOSE,
)
# In capitals every word could stand between.
_NEXT_THING = re.compile(rf"(?i:{_OWNED})[ \n-]{_THINGS}", re.VERBOSE)


_PAIRED = frozenset(("braxton", "hicks", "braxtonhicks"))
_PAIR = re.compile(r"Braxton[ -]Hicks")
_DISEASES = frozenset(("wilson",))
"""Eponymous diseases often written without the possessive whose names are also common surnames."""
_DISEASED = re.compile(
    r"\b\w*(?:osis|itis|emia|a?emias?|oma|pathy|trypsin|a1at|deficiency|disease|syndrome)\b",
    re.IGNORECASE,
)

# Terms of two words, complete, and what may stand before them; with any other word they are none.
_TERMS = {
    key: re.compile(words)
    for key, words in {
        "duarte": r" (?:variants?|enzyme|isoform|galactos[ae]mia|alleles?)\b",
        "goldmann": r" (?:perimet(?:ry|er)|tonomet(?:ry|er))\b",
        "humphrey": r" (?:perimet(?:ry|er)|campimetry)\b",
        "goldberg": r" (?:general )?health questionnaire\b",
        "harrisbenedict": r" (?:prediction )?(?:formula|equation)\b",
        "kell": r" antigens?\b",
        "mcleod": r" (?:phenotype|syndrome)\b",
        "kniest": r" dysplasia\b",
        "lowe": r" oculocerebrorenal\b",
        "brittany": r" spaniels?\b",
        "elisa": r" (?:assays?|kits?|Ig[GMA])\b",
    }.items()
}
_BEFORE_TERM = frozenset(("the", "a", "an", "of", "and", "or", "in", "with", "by", "positive"))
_ACID = r"(?:Arg|Gly|Phe|Asp|Cys|Gln|Glu|Ile|Lys|Trp|Tyr)"
_TO_ACID = re.compile(rf"\s?(?:-+\s?>|to)\s?{_ACID}\b")
_TO_MET = re.compile(r"\s?-+\s?>\s?Met\b")
_CODON = re.compile(r"\b\d+\s?$")
_FROM_ACID = re.compile(rf"\b{_ACID}\s?(?:-+\s?>|to)\s?$")
_ACIDS = frozenset(("val", "leu"))


def _is_term(text: str, word: CapitalizedWord) -> bool:
    """Whether a name is part of a closed term, or an amino acid exchanged for another."""
    if word.key in _ACIDS:
        before = text[max(0, word.begin - 12) : word.begin]
        if _TO_MET.match(text, word.end):  # met is a word: a codon's number tells
            return _CODON.search(before) is not None
        return bool(_TO_ACID.match(text, word.end) or _FROM_ACID.search(before))
    term = _TERMS.get(word.key)
    return bool(term and word.before in _BEFORE_TERM and term.match(text, word.end))


def may_be_disease(text: str, word: CapitalizedWord) -> bool:
    """Whether a name stands among diseases, as in `hemochromatosis, Wilson, A1AT`."""
    if word.key not in _DISEASES:
        return False
    return _DISEASED.search(text, max(0, word.begin - 40), word.end + 40) is not None


def is_thing(text: str, word: CapitalizedWord) -> bool:
    """Whether a name is part of what something is called, as in Bell's palsy.

    A given name with 's before such a word owns it: Mary's test is Mary's.
    """
    possessive = text[word.end : word.end + 1] in ("'", "’")
    if possessive and word.flags & GIVEN and not word.flags & (SURNAME | EPONYM):
        return False
    if word.key in _PAIRED and _PAIR.search(text, max(0, word.begin - 8), word.end + 6):
        return True
    if _is_term(text, word):
        return True
    shouted = word.end > word.begin + 1 and text[word.begin : word.end].isupper()
    pattern = _NEXT_THING if shouted else _THING
    return pattern.match(text, word.end, min(len(text), word.end + 40)) is not None
