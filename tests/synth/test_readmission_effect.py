"""How much the conditions decide about readmission."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from auscult.core import OptionError
from auscult.synth.admissions import stays
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.hospital import make_hospital
from auscult.synth.patients import make_patient

PATIENTS = 150


@pytest.mark.parametrize(("effect", "least", "most"), [(1.0, 0.65, 0.91), (4.0, 0.92, 1.0)])
def test_a_larger_effect_leaves_less_to_chance(
    known: ClinicalTables, effect: float, least: float, most: float
) -> None:
    epidemiology = Epidemiology(known, effect)
    every = [s for at in range(PATIENTS) for s in stays(make_patient(1, at), epidemiology)]
    alive = [stay for stay in every if not stay.died]
    area = roc_auc_score([stay.readmitted for stay in alive], [stay.log_odds for stay in alive])
    assert least < area < most
    assert np.mean([stay.readmitted for stay in alive]) < 0.5


def test_the_first_stay_is_the_same_whatever_the_effect(known: ClinicalTables) -> None:
    plain, strong = Epidemiology(known), Epidemiology(known, 4.0)
    for at in range(30):
        patient = make_patient(1, at)
        one, other = (stays(patient, which)[0] for which in (plain, strong))
        assert one.illnesses == other.illnesses
        assert one.discharged == other.discharged


def test_an_effect_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="from 0 to 10"):
        make_hospital(tmp_path / "hospital", patients=1, readmission_effect=11)
