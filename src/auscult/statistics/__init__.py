"""Bootstrap intervals, significance tests and analysis of variance."""
