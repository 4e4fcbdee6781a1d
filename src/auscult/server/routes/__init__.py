"""The REST interface, one file per subject: each parses, calls a plain function, answers."""
