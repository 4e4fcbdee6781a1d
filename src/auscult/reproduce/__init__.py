"""Reproductions of the tables and figures of five papers, compared with the published numbers."""
