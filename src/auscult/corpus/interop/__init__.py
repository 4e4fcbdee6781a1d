"""Corpora handed to other libraries without a file between: Hugging Face datasets and spaCy."""
