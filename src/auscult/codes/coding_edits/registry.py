"""The rules, in the order in which they are checked."""

from __future__ import annotations

from auscult.codes.coding_edits.ages import check_age, check_maternal_and_newborn
from auscult.codes.coding_edits.coded_chart import CodingRule
from auscult.codes.coding_edits.companions import (
    check_code_also,
    check_code_first,
    check_use_additional,
)
from auscult.codes.coding_edits.duplicates import check_duplicates
from auscult.codes.coding_edits.excludes1 import check_excludes1
from auscult.codes.coding_edits.existence import check_existence
from auscult.codes.coding_edits.integral_symptoms import check_symptoms
from auscult.codes.coding_edits.laterality import check_laterality
from auscult.codes.coding_edits.sequencing import (
    check_external_causes,
    check_manifestation_first,
)
from auscult.codes.coding_edits.sexes import check_sex
from auscult.codes.coding_edits.specificity import check_billable, check_unspecified

_BOTH = ("ICD-10-CM", "ICD-9-CM")
RULES = (
    CodingRule("existence", "codes that the release does not have", check_existence, _BOTH),
    CodingRule("billable", "headings, and missing 7th characters", check_billable, _BOTH),
    CodingRule("duplicates", "codes given twice", check_duplicates, _BOTH),
    CodingRule("excludes1", "codes that exclude each other", check_excludes1),
    CodingRule("code-first", "missing code-first companions", check_code_first),
    CodingRule("use-additional", "missing additional codes", check_use_additional),
    CodingRule("code-also", "companions in either order", check_code_also),
    CodingRule("manifestation", "manifestations listed first", check_manifestation_first),
    CodingRule("external-causes", "external causes first or alone", check_external_causes),
    CodingRule("laterality", "sides that contradict each other", check_laterality),
    CodingRule("unspecified", "unspecified beside specific", check_unspecified),
    CodingRule("symptoms", "symptoms of a coded diagnosis", check_symptoms, _BOTH),
    CodingRule("age", "codes of another age", check_age),
    CodingRule("sex", "codes of the other sex", check_sex),
    CodingRule("maternal", "mother and newborn in one record", check_maternal_and_newborn),
)
"""All rules: one is one function and one entry here."""
SYSTEMS_CHECKED = _BOTH
FINDINGS = {
    "unknown-code": "a code that is not in the release",
    "other-system": "a code of another revision or system",
    "other-release": "a code of another release",
    "not-billable": "a heading given as a code",
    "seventh-character": "a missing or wrong 7th character",
    "placeholder": "a missing placeholder X",
    "duplicate-code": "a code given twice",
    "excludes1": "two codes that exclude each other (Excludes1)",
    "code-first": "a missing code-first companion",
    "code-first-if-applicable": "a code-first companion that may be missing",
    "sequence": "a companion that comes too late",
    "use-additional": "a missing additional code",
    "use-additional-if-applicable": "an additional code that may be missing",
    "code-also": "a companion that may be missing, in either order",
    "manifestation-first": "a manifestation listed first",
    "external-cause-first": "an external cause listed first",
    "external-cause-alone": "an external cause alone",
    "external-cause-without-injury": "an external cause without an injury",
    "laterality": "two sides, or a side beside both",
    "unspecified-side": "an unspecified side beside a side",
    "unspecified-beside-specific": "an unspecified code beside a specific one",
    "symptom-with-diagnosis": "a symptom beside the diagnosis that explains it",
    "age": "a code of another age",
    "sex": "a code of the other sex",
    "maternal-and-newborn": "mother and newborn in one record",
}
"""What each kind of finding is, by the name that findings have."""
