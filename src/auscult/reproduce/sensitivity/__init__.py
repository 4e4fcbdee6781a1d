"""Cao et al. 2022: word sensitivity of two readmission classifiers."""
