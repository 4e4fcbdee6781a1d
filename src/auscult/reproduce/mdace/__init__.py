"""Cheng et al. 2023, "MDACE: MIMIC Documents Annotated with Code Evidence"."""
