"""How networks learn, whatever they learn: shared by coders and writers."""
