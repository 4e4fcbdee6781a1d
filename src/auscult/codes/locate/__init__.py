"""Finding what the code book has a name for in running text."""
