"""From words to codes: one search over everything that a code system calls its codes."""
