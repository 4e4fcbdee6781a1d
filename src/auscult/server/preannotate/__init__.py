"""Pre-annotation by a model, in the background."""
