"""Where live annotation is kept: SQLite or PostgreSQL, through the same tables."""
