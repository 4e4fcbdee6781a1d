"""Who people are: passwords, sessions, invitations, and how often a login may fail."""
