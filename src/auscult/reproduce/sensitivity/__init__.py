"""Cao et al. 2022: which words move two classifiers of readmission."""
