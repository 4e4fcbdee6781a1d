"""Shared tasks in a workbench: what `auscult challenge` keeps, for teams with accounts."""
