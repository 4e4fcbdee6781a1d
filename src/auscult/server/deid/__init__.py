"""The review of what identifies people in a project's notes."""
