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
    |chromosome|rules?|definition|scientific|variants?|phenotypes?|antigens?|haplotypes?|alleles?
    |dysplasia|hypothesis|prediction|perimet(?:ry|er)|campimet(?:ry|er)|tonomet(?:ry|er)|blot(?:ting|s)?
    |hybridi[sz]ation|enzymes?|reservoirs?|mutants?|strategy|threshold|dissector|elevator|tissue|spaniel|medium)\b"""
_OWNED = r"(?:['’]s?|s['’])?"
# What follows an eponym, with up to two words between: Hodgkin's non-B-cell lymphoma. Behind a
# possessive no adjective: Jones's cardiac examination is the one of a person.
_THING = re.compile(
    rf"""{_OWNED}(?:[ \n-](?:[A-Z][\w'’-]*|and|non|cell|type|grade)){{0,2}}?[ \n-]{_THINGS}
    |(?:[ \n-][A-Z][\w'’-]*)?[ \n-][a-z]+(?:al|ar|ic|ous)[ ]{_THINGS}""",
    re.VERBOSE,
)
# What stands before an eponym: the syndrome of Evans, grade II according to Schaffer.
_THING_BEFORE = re.compile(
    r"(?:\b(?:syndrome|disease|sign|phenomenon|triad|tetralogy|pentad|man(?:eu|oeu)v(?:er|re)|method"
    r"|technique|classification|criteria|operation|procedure|law|scale|score|index|formula|pouch|sac"
    r"|space|triangle|canal|islets|ligament|reservoir|strategy|variant)s?\s+of"
    r"|\b(?:grade[ds]?|stage|class|type|classified|score|criteria|scale)\b[^.;:\n]{0,24}?"
    r"(?:according to|by))\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_LINKS = frozenset(("of", "to", "by", "the"))
# Authors who are cited, firms, trade names and drugs with a dose are no people of the note.
_PUBLISHED = re.compile(
    r"(?:(?:,| and| &) [A-Z][\w'’-]+)?,? et al\b|[®™©]|\s?\(?[®™©]"
    r"|(?: [A-Z][\w-]+)?,? (?:Inc|Ltd|LLC|Corp|GmbH|Laboratories|Pharmaceuticals?|Pharma"
    r"|Instruments|Biotech|Diagnostics)\b"
    r"|\s+\d+(?:[.,/]\d+)?\s?(?:mg|MG|mcg|µg|g|ml|mL|cc|units?|mEq|meq|%|tabs?|caps?|gtts?)\b"
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
    end = word.end
    if _PUBLISHED.match(text, end) or _is_firm(text, word):
        return True
    if word.before in _LINKS and _THING_BEFORE.search(text, max(0, word.begin - 50), word.begin):
        return True
    shouted = word.end > word.begin + 1 and text[word.begin : word.end].isupper()
    pattern = _NEXT_THING if shouted else _THING
    return pattern.match(text, end, min(len(text), end + 40)) is not None


def _is_firm(text: str, word: CapitalizedWord) -> bool:
    """Whether a name is one of a firm that has it twice, as Johnson & Johnson."""
    if "&" not in text[max(0, word.begin - 2) : word.begin] + text[word.end : word.end + 2]:
        return False
    own = text[word.begin : word.end]
    return text.startswith(f" & {own}", word.end) or text.endswith(f"{own} & ", 0, word.begin)
