"""How sure a number is: intervals from resampled charts, and tests between two coders."""
