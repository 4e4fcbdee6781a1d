"""The version, where every layer can reach it."""

__version__ = "0.2.0"
