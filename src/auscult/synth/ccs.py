"""Categories of diagnoses in the manner of AHRQ's CCS: a few dozen groups of ICD-10-CM codes."""

from __future__ import annotations

# The first code of each group; a group ends where the next one begins.
_GROUPS = (
    ("A00", "Intestinal infection"), ("A15", "Tuberculosis"), ("A20", "Bacterial infection"),
    ("A40", "Septicemia"), ("A42", "Bacterial infection"), ("A80", "Viral infection"),
    ("B15", "Hepatitis"), ("B20", "HIV infection"), ("B25", "Viral infection"),
    ("B35", "Mycoses"), ("B50", "Other infections"), ("C00", "Cancer of head and neck"),
    ("C15", "Cancer of digestive organs"), ("C30", "Cancer of bronchus; lung"),
    ("C40", "Cancer of bone and skin"), ("C50", "Cancer of breast"),
    ("C51", "Cancer of genital and urinary organs"), ("C69", "Other cancer"),
    ("C77", "Secondary malignancies"), ("C81", "Lymphoma; myeloma; leukemia"),
    ("D00", "Benign neoplasm"), ("D50", "Anemia"), ("D65", "Coagulation disorders"),
    ("D70", "Diseases of white blood cells"), ("E00", "Thyroid disorders"),
    ("E08", "Diabetes mellitus"), ("E15", "Other endocrine disorders"),
    ("E40", "Nutritional deficiencies"), ("E65", "Obesity"), ("E70", "Metabolic disorders"),
    ("E78", "Disorders of lipid metabolism"), ("E79", "Metabolic disorders"),
    ("E86", "Fluid and electrolyte disorders"), ("E88", "Metabolic disorders"),
    ("F01", "Delirium and dementia"), ("F10", "Alcohol-related disorders"),
    ("F11", "Substance-related disorders"), ("F20", "Schizophrenia"), ("F30", "Mood disorders"),
    ("F40", "Anxiety disorders"), ("F50", "Other mental disorders"),
    ("G00", "Infections of the nervous system"), ("G20", "Hereditary and degenerative disorders"),
    ("G35", "Multiple sclerosis"), ("G40", "Epilepsy; convulsions"),
    ("G43", "Headache; migraine"), ("G45", "Transient cerebral ischemia"),
    ("G47", "Other nervous system disorders"), ("H00", "Eye disorders"), ("H60", "Ear disorders"),
    ("I05", "Heart valve disorders"), ("I10", "Hypertension"),
    ("I20", "Coronary atherosclerosis"), ("I21", "Acute myocardial infarction"),
    ("I24", "Coronary atherosclerosis"), ("I26", "Pulmonary heart disease"),
    ("I30", "Peri- and myocarditis; cardiomyopathy"), ("I34", "Heart valve disorders"),
    ("I40", "Peri- and myocarditis; cardiomyopathy"), ("I44", "Conduction disorders"),
    ("I46", "Cardiac arrest"), ("I47", "Cardiac dysrhythmias"), ("I50", "Heart failure"),
    ("I51", "Other heart disease"), ("I60", "Acute cerebrovascular disease"),
    ("I65", "Occlusion of precerebral arteries"), ("I67", "Other cerebrovascular disease"),
    ("I70", "Peripheral atherosclerosis"), ("I71", "Aneurysms"),
    ("I74", "Arterial embolism"), ("I80", "Phlebitis; thrombosis"),
    ("I83", "Other diseases of veins"), ("I95", "Other circulatory disease"),
    ("J00", "Upper respiratory infections"), ("J09", "Influenza"), ("J12", "Pneumonia"),
    ("J20", "Acute bronchitis"), ("J40", "COPD and bronchiectasis"), ("J45", "Asthma"),
    ("J47", "COPD and bronchiectasis"), ("J60", "Lung disease due to external agents"),
    ("J69", "Aspiration pneumonitis"), ("J80", "Respiratory failure"),
    ("J84", "Other lower respiratory disease"),
    ("J90", "Pleurisy; pneumothorax"), ("J95", "Respiratory failure"),
    ("J98", "Other lower respiratory disease"), ("K00", "Disorders of mouth"),
    ("K20", "Esophageal disorders"), ("K25", "Gastroduodenal ulcer"), ("K29", "Gastritis"),
    ("K35", "Appendicitis"), ("K40", "Abdominal hernia"),
    ("K50", "Regional enteritis and ulcerative colitis"), ("K55", "Other intestinal disorders"),
    ("K56", "Intestinal obstruction"), ("K57", "Diverticulosis"),
    ("K58", "Other intestinal disorders"), ("K65", "Peritonitis"), ("K70", "Liver disease"),
    ("K80", "Biliary tract disease"), ("K85", "Pancreatic disorders"),
    ("K90", "Other gastrointestinal disorders"), ("K92", "Gastrointestinal hemorrhage"),
    ("L00", "Skin and subcutaneous infections"), ("L10", "Other skin disorders"),
    ("L89", "Chronic ulcer of skin"), ("M00", "Infective arthritis"),
    ("M05", "Rheumatoid arthritis"), ("M10", "Gout"), ("M15", "Osteoarthritis"),
    ("M20", "Other joint disorders"), ("M30", "Systemic lupus and connective tissue"),
    ("M40", "Spondylosis; back problems"), ("M60", "Other connective tissue disease"),
    ("M80", "Osteoporosis"), ("M86", "Other bone disease"), ("N00", "Nephritis; nephrosis"),
    ("N17", "Acute renal failure"), ("N18", "Chronic kidney disease"),
    ("N19", "Other kidney disease"), ("N20", "Calculus of urinary tract"),
    ("N25", "Other kidney disease"), ("N30", "Urinary tract infections"),
    ("N31", "Other bladder disorders"), ("N39", "Urinary tract infections"),
    ("N40", "Hyperplasia of prostate"), ("N41", "Other male genital disorders"),
    ("N60", "Breast disorders"), ("N70", "Female genital disorders"),
    ("O00", "Complications of pregnancy"), ("R00", "Abnormal heart beat"),
    ("R04", "Respiratory symptoms"), ("R07", "Nonspecific chest pain"),
    ("R09", "Respiratory symptoms"), ("R10", "Abdominal pain"), ("R11", "Nausea and vomiting"),
    ("R12", "Digestive symptoms"), ("R20", "Skin symptoms"), ("R25", "Nervous symptoms"),
    ("R30", "Urinary symptoms"), ("R40", "Altered mental status"), ("R42", "Dizziness"),
    ("R43", "Nervous symptoms"), ("R50", "Fever of unknown origin"), ("R51", "Headache"),
    ("R52", "Other symptoms"), ("R53", "Malaise and fatigue"), ("R54", "Other symptoms"),
    ("R55", "Syncope"), ("R56", "Epilepsy; convulsions"), ("R57", "Shock"),
    ("R58", "Other symptoms"), ("S00", "Superficial injury of head"),
    ("S01", "Open wounds of head"), ("S02", "Skull and face fractures"),
    ("S03", "Sprains"), ("S06", "Intracranial injury"), ("S07", "Injury of head"),
    ("S10", "Injury of neck"), ("S20", "Injury of chest"), ("S22", "Other fractures"),
    ("S23", "Injury of trunk"), ("S32", "Other fractures"), ("S33", "Injury of trunk"),
    ("S40", "Injury of arm"), ("S42", "Fracture of upper limb"), ("S43", "Injury of arm"),
    ("S52", "Fracture of upper limb"), ("S53", "Injury of arm"), ("S62", "Fracture of upper limb"),
    ("S63", "Injury of hand"), ("S70", "Injury of hip"), ("S72", "Fracture of neck of femur"),
    ("S73", "Injury of leg"), ("S82", "Fracture of lower limb"), ("S83", "Injury of leg"),
    ("S92", "Fracture of lower limb"), ("S93", "Sprains"), ("T07", "Other injuries"),
    ("T20", "Burns"), ("T36", "Poisoning by medications"), ("T51", "Poisoning by other substances"),
    ("T66", "Other injuries"), ("T80", "Complications of care"), ("U00", "Other"),
    ("Z00", "Other factors"),
)  # fmt: skip
_NUMBERS = {label: at for at, label in enumerate(dict.fromkeys(name for _, name in _GROUPS), 1)}


def category(icd10: str) -> tuple[int, str]:
    """Number and name of a code's group.

    >>> category("I50.23")[1], category("J44.1")[1]
    ('Heart failure', 'COPD and bronchiectasis')
    """
    stem = icd10[:3]
    label = "Other"
    for first, name in _GROUPS:
        if first > stem:
            break
        label = name
    return _NUMBERS[label], label
