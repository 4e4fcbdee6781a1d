"""What the tables of MIMIC-III and MIMIC-IV have in common."""
