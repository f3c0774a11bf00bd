"""Formats of figures and dates that differ from Django's for a language."""
