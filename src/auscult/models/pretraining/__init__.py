"""Masked language models: encoders trained further on notes, and small ones from scratch."""
