"""Embeddings of a vocabulary's names: concepts by the nearness of meaning."""
