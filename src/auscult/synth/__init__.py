"""The synthetic hospital: synthetic charts with known evidence, and no real patients."""
