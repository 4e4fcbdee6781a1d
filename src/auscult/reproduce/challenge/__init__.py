"""Pestian et al. 2007: the 2007 Computational Medicine Challenge."""
