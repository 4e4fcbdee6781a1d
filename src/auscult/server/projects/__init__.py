"""Projects: the charts of a corpus, assignments, progress, export."""
