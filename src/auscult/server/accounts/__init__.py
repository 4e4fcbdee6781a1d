"""Accounts: passwords, sessions, invitations, and the limit on failed logins."""
