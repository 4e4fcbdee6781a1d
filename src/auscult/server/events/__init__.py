"""Changes to annotations as events that are only ever appended."""
