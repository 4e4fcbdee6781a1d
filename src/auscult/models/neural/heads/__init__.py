"""Heads, which score the codes from the output of a pretrained encoder."""
