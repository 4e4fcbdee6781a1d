"""Agrawal et al. 2020: clinical entity extraction and linking."""
