"""The command line: each command parses, calls a plain function, and prints."""
