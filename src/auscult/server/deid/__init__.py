"""De-identification review of a project's notes."""
