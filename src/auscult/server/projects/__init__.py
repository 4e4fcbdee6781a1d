"""Projects: the charts of a corpus, who codes which, how far they are, what comes out."""
