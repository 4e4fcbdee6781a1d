"""What scores the codes from the output of a pretrained encoder."""
