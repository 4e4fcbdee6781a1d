"""Masked language models: encoders pretrained further on notes, and small ones from scratch."""
