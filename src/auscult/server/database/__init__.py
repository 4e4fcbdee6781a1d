"""Storage of live annotation: SQLite or PostgreSQL, through the same tables."""
