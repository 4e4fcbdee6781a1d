"""How far people agree, what the consensus is, and who settles the rest."""
