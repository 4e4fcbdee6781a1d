"""Coders of concepts: spans of text, and what each means."""
