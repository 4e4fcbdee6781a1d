"""The code box: code search, suggestions for selected text, ICD mappings."""
