"""Models for named entity recognition and entity linking."""
