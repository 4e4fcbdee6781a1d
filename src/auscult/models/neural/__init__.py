"""Neural models, which need the extra `neural`. Nothing here is imported before it is used."""
