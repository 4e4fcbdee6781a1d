"""What several formats need: files, tables, quotes, spans, XML, JSON."""
