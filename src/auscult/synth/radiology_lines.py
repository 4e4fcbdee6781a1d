"""What radiologists say of what is as it should be, how they look, and what they advise."""

from __future__ import annotations

NORMAL = {
    "chest": (
        "The heart size is normal.",
        "Cardiomediastinal contours are stable.",
        "The aorta is tortuous and calcified.",
        "Lung volumes are low.",
        "Visualized osseous structures are unremarkable.",
        "There is no free air under the diaphragm.",
        "{!ventilated}The ET tube terminates 4 cm above the carina.",
        "{!lined}Right internal jugular line tip projects over the mid SVC.",
        "{!ventilated}Nasogastric tube courses below the diaphragm, tip not seen.",
        "Degenerative changes are noted in the thoracic spine.",
        "The hila are within normal limits.",
        "The lungs are clear of focal consolidation on the side away from the monitoring leads.",
        "Pulmonary vascularity is within normal limits for a supine technique.",
        "The costophrenic angles are sharp where they are included.",
        "The trachea is midline and the main bronchi are patent.",
        "Linear densities at the bases are in keeping with scarring and are unchanged.",
        "The right hemidiaphragm is mildly elevated, as before.",
        "Overlying EKG leads, tubing and a defibrillator pad obscure part of the left hemithorax.",
        "Biapical pleural thickening is symmetric and chronic in appearance.",
        "A calcified granuloma in the left upper zone is unchanged over several years.",
        "Surgical clips project over the right upper quadrant.",
        "The upper abdomen, as far as it is seen, shows a nonobstructive bowel gas pattern.",
    ),
    "head": (
        "The ventricles and sulci are normal in size and configuration.",
        "There is preservation of gray-white matter differentiation.",
        "The visualized paranasal sinuses are clear.",
        "Mastoid air cells are well aerated.",
        "Periventricular hypodensities are consistent with chronic small vessel changes.",
        "There is no shift of normally midline structures.",
        "The basal cisterns are patent.",
        "Surrounding soft tissue structures are unremarkable.",
        "The globes and orbits are symmetric; lens replacements are noted bilaterally.",
        "Dense calcifications line the cavernous carotid and distal vertebral arteries.",
        "The major vascular flow voids and the dural sinuses have their expected appearance.",
        "Posterior fossa structures are partly obscured by beam hardening.",
        "The sella, pineal region and craniocervical junction appear within normal limits.",
        "Prominence of the extra-axial spaces is in keeping with the patient's age.",
        "No scalp swelling or radiopaque foreign body is appreciated.",
        "Mild mucosal thickening is present in the ethmoid air cells and left maxillary antrum.",
        "The temporomandibular joints and upper cervical facets show degenerative change.",
    ),
    "abdomen": (
        "The liver enhances homogeneously without focal lesion.",
        "The spleen, adrenals and pancreas are within normal limits.",
        "The common bile duct measures 4 mm.",
        "Loops of small and large bowel are of normal caliber.",
        "There is no free air or free fluid.",
        "No pathologically {-lymph_node_swelling|enlarged lymph nodes} are seen.",
        "A Foley catheter is seen in a decompressed bladder.",
        "The portal vein is patent with hepatopetal flow.",
        "Bone windows show no suspicious lytic or sclerotic lesion.",
        "Incidental note is made of a 9 mm cyst in the left kidney, too small to characterize.",
        "The imaged lung bases show dependent change only.",
        "The gallbladder is physiologically distended and its wall is not thickened.",
        "Both kidneys enhance and excrete contrast symmetrically.",
        "The aorta is of normal caliber with moderate calcified plaque at the bifurcation.",
        "The celiac axis, superior and inferior mesenteric arteries are patent at their origins.",
        "The stomach is underdistended, which limits evaluation of its wall.",
        "Stool is present throughout the colon without wall thickening or stranding.",
        "The pelvic organs are unremarkable for the patient's age.",
        "Small fat-containing umbilical and inguinal defects are of no clinical significance.",
        "Multilevel degenerative change of the lumbar spine is present with preserved alignment.",
    ),
    "kidney": (
        "The right kidney measures 10.4 cm, the left kidney 10.9 cm.",
        "Cortical thickness and echogenicity are preserved.",
        "Both ureteral jets are visualized.",
        "The bladder is only minimally distended and cannot be fully assessed.",
        "There is no stone or solid mass.",
        "Resistive indices range from 0.62 to 0.71 on the right and 0.60 to 0.70 on the left.",
        "The main renal veins are patent, with arterial waveforms of brisk upstroke throughout.",
        "No perinephric collection is identified on either side.",
        "A 1.2 cm simple cyst arises from the upper pole on the left.",
        "Corticomedullary differentiation is maintained in both kidneys.",
        "Prevoid volume is 210 cc and postvoid residual 24 cc.",
        "The study was limited by overlying bowel gas and the patient's inability to turn.",
        "The visualized liver is of normal echotexture and serves as a comparison.",
        "The prostate or uterus was not formally evaluated at this examination.",
        "The proximal collecting systems are not dilated on gray-scale or color images.",
    ),
    "veins": (
        "Grayscale and Doppler sonography of the common femoral, superficial femoral and "
        "popliteal veins was performed.",
        "There is normal compressibility, flow and augmentation elsewhere.",
        "The calf veins are incompletely visualized.",
        "A small Baker's cyst is noted on the right.",
        "Respiratory variation is present in both common femoral veins.",
        "The greater saphenous vein at its junction collapses fully on both sides.",
        "Color flow fills the lumen from wall to wall in the proximal segments imaged.",
        "Subcutaneous tissues about the ankles are thickened, which limited the calf images.",
        "Peroneal and posterior tibial veins were seen on the left and compress normally.",
        "A reactive lymph node in the left groin measures 8 mm in its short axis.",
        "The iliac veins and the inferior vena cava were not examined.",
        "Arterial waveforms seen in passing are triphasic at the level of the knee.",
        "Evaluation above the groin was limited by a dressing and by the patient's habitus.",
    ),
    "bone": (
        "Bone mineral density is diminished.",
        "Joint spaces are relatively preserved.",
        "Vascular calcifications are noted.",
        "Alignment is otherwise anatomic.",
        "No radiopaque foreign body.",
        "Degenerative changes are seen in the lower lumbar spine.",
        "Small marginal osteophytes are present without erosive change.",
        "The sacroiliac joints and pubic symphysis are congruent.",
        "Prevertebral and paraspinal soft tissues are of normal thickness.",
        "Enthesopathic spurring is seen at the tendon insertions.",
        "The visualized growth plates are fused and the cortices otherwise smooth.",
        "Phleboliths project over the pelvis and surgical clips over the groin.",
        "Vertebral body heights and disc spaces are maintained at the other levels imaged.",
        "The included portions of the bowel and bladder are unremarkable.",
        "Evaluation of the distal structures is limited by splint material and positioning.",
    ),
}  # fmt: skip

TECHNIQUE = {
    "PORT": "A single semi-erect view of the chest was obtained at the bedside. The patient is "
    "rotated and the costophrenic angles are partly excluded from the film. Technique is limited "
    "by overlying support apparatus and by a shallow inspiration.",
    "PA &": "Frontal and lateral views of the chest were obtained in the department with the "
    "patient upright and in good inspiration. The lateral view is slightly rotated.",
    "CT HEAD": "Contiguous axial images were obtained through the brain without contrast. Coronal "
    "and sagittal reformations were reviewed, and bone algorithm images were made. Total DLP was "
    "891 mGy-cm. The examination was repeated in part because of motion.",
    "MR": "Sagittal T1, axial T2, FLAIR, gradient echo and diffusion images were obtained, then "
    "axial and coronal T1 images after 14 cc of intravenous gadolinium. Several sequences are "
    "degraded by motion and were repeated.",
    "CTA": "Axial images were acquired from the apices to the adrenals before and during the "
    "pulmonary arterial phase after 100 cc of Optiray. Coronal, sagittal and oblique maximum "
    "intensity projections were reviewed. Total DLP was 612 mGy-cm.",
    "CT CHEST": "Axial images at 5 mm and 1.25 mm from the thoracic inlet to the upper abdomen "
    "after 75 cc of Optiray, with coronal and sagittal reformations. Breathing artifact is present "
    "at the bases. Total DLP was 433 mGy-cm.",
    "CT ABD": "Axial images from the lung bases to the pubic symphysis after 130 cc of Optiray. "
    "Oral contrast was given. Coronal and sagittal reformats were reviewed. Total DLP was 1,004 "
    "mGy-cm. There were no immediate complications of the injection.",
    "C-SPINE": "Axial images from the skull base to T2 without contrast, with coronal and sagittal "
    "reformations in bone and soft tissue algorithms. The collar was in place throughout.",
    "RENAL": "Grayscale and color Doppler images of both kidneys and the bladder, with "
    "measurement of resistive indices where the window allowed. The patient was scanned supine and "
    "in both decubitus positions at the bedside.",
    "VEINS": "Color, pulsed and grayscale ultrasound of both lower extremities, with compression "
    "from the groin to the calf. Augmentation maneuvers were performed as tolerated; the study was "
    "done portably at the bedside.",
    "U.S.": "Transabdominal grayscale and color Doppler images were obtained with a curved array. "
    "The patient had been fasting for six hours. The pancreatic tail was obscured by gas.",
    "US": "Focused grayscale and color Doppler images of the right upper quadrant were obtained "
    "with a curved array while the patient was supine and in left lateral decubitus position.",
    "": "Frontal and lateral views, with additional oblique projections as positioning allowed. "
    "The trauma board, lines and clothing artifacts overlie parts of the field.",
}
"""By what a study's title has in it; the first that fits."""

ADVICE = {
    "chest": (
        "If clinically indicated, PA and lateral views could be obtained when the patient is able.",
        "Follow-up radiograph in 4-6 weeks after treatment is suggested to document clearing.",
        "Attention to the bases on the next routine film is recommended.",
    ),
    "head": (
        "MRI would be more sensitive if concern persists and there is no contraindication.",
        "Short interval follow-up is suggested should the examination change.",
        "Please note that CT may miss small or very recent abnormalities of the posterior fossa.",
    ),
    "abdomen": (
        "The renal cyst could be reassessed with ultrasound on a nonurgent basis.",
        "Correlation with laboratory values and with serial examination is recommended.",
        "Delayed images or MRI may be obtained if symptoms continue without explanation.",
    ),
    "kidney": (
        "Repeat examination with a full bladder could be considered if the question remains.",
        "Correlation with urinalysis and with the trend of the chemistry is advised.",
    ),
    "veins": (
        "Repeat examination in 5-7 days is advised if suspicion for calf disease is high.",
        "If symptoms worsen the study may be repeated at any time.",
    ),
    "bone": (
        "If pain persists, repeat films in 7-10 days or cross-sectional imaging are advised.",
        "Orthopedic consultation and dedicated views of the joint are suggested.",
    ),
}


def technique(title: str) -> str:
    """How a study with this title was done."""
    return next(text for sign, text in TECHNIQUE.items() if sign in title)
