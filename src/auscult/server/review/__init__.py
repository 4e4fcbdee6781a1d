"""Disagreements of double coding, decisions about them, and the gold that follows."""
