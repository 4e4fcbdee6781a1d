"""Sentences that say of a thing that it is not there, might be there, was there, might come.

They are used for conditions a patient does not have, so that a phrase alone never decides its
code; and, early in a stay, for conditions not yet proven.
"""

from __future__ import annotations

from collections.abc import Sequence

from auscult.synth.note_parts import PhraseAssertion, Text

_HEDGES = (
    "suggest", "likely", "possib", "may ", "might", "concern", "consider", "cannot", "question",
    "not excluded", "versus", " vs", "raises", "probab", "suspicious", "could",
)  # fmt: skip


def is_hedged(sentence: str) -> bool:
    """Whether a report's sentence leaves open what it names."""
    before, _, after = sentence.lower().partition("{it}")
    return any(hedge in before for hedge in _HEDGES) or "be considered" in after


def certainty(sentence: str) -> PhraseAssertion:
    """What a report's sentence says of what it names."""
    return PhraseAssertion.UNCERTAIN if is_hedged(sentence) else PhraseAssertion.PRESENT


_TOPICS = (
    "liver", "hepat", "spleen", "pancrea", "bile duct", "bowel", "kidney", "ventric", "heart",
    "cardi", "aort", "lung", "hil", "free air", "bone", "joint", "midline", "gray", "wall motion",
    "systolic", "atri", "mitral", "pulmonary artery", "diastolic", "sulci", "compressib", "lymph",
)  # fmt: skip


def beside(usual: Sequence[str], found: Sequence[Text]) -> list[str]:
    """Those of a report's usual sentences that are about nothing for which something was found."""
    said = " ".join(
        (piece if isinstance(piece, str) else piece[0]).lower() for text in found for piece in text
    )
    taken = [topic for topic in _TOPICS if topic in said]
    return [line for line in usual if not any(topic in line.lower() for topic in taken)]


NEGATED = (
    "no evidence of {it}",
    "no e/o {it}",
    "there was no evidence of {it}",
    "without evidence of {it}",
    "workup was negative for {it}",
    "{pt} was ruled out for {it}",
    "{it} was ruled out",
    "{it} was effectively excluded",
    "presentation was not felt to be c/w {it}",
    "low suspicion for {it}",
    "{it} was felt to be unlikely",
    "doubt {it}",
    "nothing to suggest {it}",
    "imaging was negative for {it}",
    "exam and labs were not consistent with {it}",
    "no clinical signs of {it}",
    "never had {it} during this stay",
)
RULED_OUT = (
    "Given {sx}, there was initial concern for {maybe}, but {it} was ruled out.",
    "Initially worrisome for {maybe}; however, workup was negative for {it}.",
    "On arrival {maybe} was on the differential. Serial exams and imaging showed no {it}.",
    "{He} was admitted to r/o {maybe}. Ultimately felt not to have {it}.",
    "Question of {maybe} was raised by the ED; the consulting team did not find {it}.",
    "Covered empirically for {maybe}, which was stopped once {it} was excluded.",
    "OSH had told the family this was {maybe}. Review of their films here: no {it}.",
    "? {maybe} on admission - negative workup.",
)
UNCERTAIN = (
    "cannot exclude {it}",
    "could not rule out {it}",
    "possible {it}",
    "question of {it}",
    "? {it}",
    "concerning for {it}",
    "differential includes {it}",
    "suspicion for {it} remains, needs outpatient workup",
    "would consider {it} if no improvement",
    "{it} possible but not proven",
)
UNPROVEN = (
    "DDx on admission included {it} vs {other}.",
    "Differential at that time: {it}, {other}.",
    "{it} vs. {other}, less likely medication effect.",
    "Possible {it} or {other}; neither could be shown on imaging.",
    "Equivocal for {it}; {other} also considered.",
)
HYPOTHETICAL = (
    "will need to be monitored for {it}",
    "watch for {it}",
    "at risk for {it}",
    "should {he} develop {it}, please call the covering team",
    "low threshold to treat if {it} develops",
    "{it} precautions",
    "counselled on the risk of {it}",
)
HISTORICAL = (
    "h/o {it} {when}",
    "history of {it} {when}",
    "{it} {when}, resolved",
    "remote {it} {when}",
    "prior {it} {when}",
    "{it} in {year}",
    "admitted with {it} {when}",
    "{it} {when} (treated at OSH)",
)
OPERATED = (
    "s/p {it} {when}",
    "{it} in {year}",
    "status post {it} {when}",
    "prior {it}",
    "h/o {it} {when}",
)
RELATED = (
    "{relative} with {it}",
    "{relative} - {it}",
    "{relative} died of {it} at age {old}",
    "{relative} had {it} in {his} {decade}s",
    "positive for {it} ({lower})",
    "{relative}: {it}",
)
UNRELATED = (
    "No family history of {it}",
    "Negative for {it}",
    "No h/o {it} in the family",
    "Denies FHx of {it} or {other}",
)
DURATIONS = (
    "x {n} days",
    "for the past {n} days",
    "for {n} days",
    "over the last {n} days",
    "since yesterday",
    "since this morning",
    "for about {n} weeks",
    "of {n} hours' duration",
    "that began the night prior to admission",
    "progressively worse over {n} days",
)
ONSETS = (
    "{He} was in {his} usual state of health until {n} days prior to admission, when {he} "
    "developed {sx}.",
    "Symptoms began {n} days {+prior_to_admission|PTA} with {sx}.",
    "{pt} reports {sx} {duration}.",
    "Per {pt}, {sx} started {n} days ago and has been getting worse.",
    "Pt noted {sx} {duration}, did not seek care at first.",
    "{His} {kin} noticed {sx} and called EMS.",
    "States that {he} has had {sx} {duration}.",
    "{He} describes {sx} {duration}, not relieved by rest.",
    "Family reports {sx} {duration}; history otherwise limited as pt is a poor historian.",
)
ARRIVALS = (
    "{He} was brought in by ambulance.",
    "{!own_home}BIBA from home.",
    "{!cared_for}BIBA from {nursing}.",
    "Presented to {osh} and was transferred to {home} for further management.",
    "{He} initially went to {osh}, where labs were drawn, and was then sent here.",
    "Walked into the ED with {his} {kin}.",
    "Sent in by {+primary_care_physician|PCP} Dr. {doctor} from clinic.",
    "Transferred from {osh} for higher level of care.",
    "{!cared_for}Referred from {nursing} after the nurse there became concerned.",
    "",
    "",
)
EMERGENCY_ROOM = (
    "In the ED, initial vitals were {vitals}.",
    "In the ED, VS: {vitals}.",
    "ED course: {vitals}.",
    "On presentation to the ED {he} was found to have {vitals}.",
    "Initial VS in the {home} ED: {vitals}.",
)
GIVEN = (
    "{He} was given {drugs}.",
    "Received {drugs} in the ED.",
    "{pt} received {drugs} and 2L LR.",
    "Given {drugs} with some improvement.",
    "Was started on {drugs} and admitted to the {unit}.",
)
NOTABLE = (
    "Labs were notable for {labs}.",
    "Labs sig for {labs}.",
    "Labs: {labs}, otherwise unremarkable.",
    "Laboratory data revealed {labs}.",
)
TO_THE_UNIT = (
    "On arrival to the {unit}, {pt} was comfortable and without complaints.",
    "On arrival to the {unit}, vitals were stable and {he} was conversant.",
    "{He} was admitted to the {unit} for close monitoring.",
    "Admitted to {unit} for further workup and management.",
    "Transferred to the {unit} hemodynamically stable.",
    "On the floor, {pt} appeared tired but was answering questions appropriately.",
)
DENIALS = (
    "{pt} denies {sx}.",
    "Denies {sx}.",
    "{He} denied any {sx}.",
    "No {sx}.",
    "Specifically, {he} denies {sx}.",
    "ROS negative for {sx}.",
)
AMBIENT = (
    "No recent travel or sick contacts.",
    "{!medicated}{He} has been compliant with {his} medications.",
    "{!medicated}Of note, {he} ran out of several medications last week.",
    "Recently seen by {+primary_care_physician|PCP} with no changes made.",
    "No recent antibiotics or hospitalizations.",
    "{His} {kin} is currently recovering from a {^upper_respiratory_infection|URI}.",
    "{!medicated}Last took {his} home meds the evening before admission.",
    "{He} has been drinking little during this time.",
    "No changes in diet or medications.",
    "Has been sleeping in a recliner.",
    "{He} has not been able to keep up with ADLs this week.",
)
MENDED = (
    "Improved over the course of the admission.",
    "This had resolved by the time of discharge.",
    "Stable at discharge.",
    "Remained stable for the rest of the stay.",
    "Follow up as outpt.",
    "To be readdressed by {+primary_care_physician|PCP}.",
    "Repeat labs to be checked in one week.",
    "",
    "",
    "",
)
CONTINUED = (
    "Continued home {drugs}.",
    "Continued {drugs}.",
    "{drugs} continued.",
    "Maintained on home {drugs} without issue.",
    "Home {drugs} initially held, restarted prior to d/c.",
    "On {drugs} at home, cont inpatient.",
    "Cont {drugs}.",
)
TREATED = (
    "Started on {drugs}.",
    "Treated with {drugs}.",
    "{He} received {drugs} with good effect.",
    "{drugs} given, with clinical improvement.",
    "Was placed on {drugs}, to complete course as outpatient.",
    "{He} was treated with {drugs} and improved.",
    "Managed w/ {drugs}.",
)
TRENDED = (
    "{lab} was {first} on admission and {last} at discharge.",
    "{lab} {first} -> {worst} -> {last}.",
    "{lab} trended from {first} to {last}.",
    "{lab} peaked at {worst}.",
    "{lab} on admission {first}; trended daily.",
    "Last {lab} {last}.",
)
STABLE = (
    "Stable, no active issues.",
    "Stable throughout admission.",
    "No changes made to home regimen.",
    "Not an active issue this admission.",
    "At baseline.",
    "Chronic, stable.",
    "Per outpatient providers.",
)
BECAUSE = (
    "Felt to be {due} {other}.",
    "Likely {due} {other}.",
    "Thought {due} {other}.",
    "Multifactorial, in part {due} {other}.",
)
DUE = ("due to", "secondary to", "2/2", "in the setting of", "related to", "d/t", "iso")
DECIDED = ("improving", "stable", "resolving", "slowly improving", "unchanged", "worse today")
LOOK_ALIKES = (
    "Foley removed, voiding spontaneously.",
    "Foley to gravity, good UOP.",
    "Swan removed without complication.",
    "Hickman line c/d/i.",
    "Glasgow Coma Scale 15 throughout.",
    "Murphy's sign negative.",
    "Babinski downgoing bilaterally.",
    "Jackson-Pratt drain with scant output.",
    "Homans negative.",
    "Apgar scores of the patient's newborn grandson were discussed at length.",
    "Worked FT until last year.",
    "Wears FT compression stockings.",
    "Brown sputum in the suction canister.",
    "May shower; no baths.",
    "Long discussion with family.",
    "Bell's phenomenon absent.",
    "Trendelenburg positioning tolerated.",
    "Kerlix and Ace wrap applied.",
    "Bair Hugger applied overnight.",
    "Yankauer at bedside.",
)
