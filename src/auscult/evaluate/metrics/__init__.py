"""Metrics of codes, one small file for those computed together, and their registry."""
