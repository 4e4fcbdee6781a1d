"""Agrawal et al. 2020: systems that find concepts in text and say which is meant."""
