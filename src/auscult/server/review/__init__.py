"""Disagreements of double coding, decisions about them, and the resulting gold standard."""
