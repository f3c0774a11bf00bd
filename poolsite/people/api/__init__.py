"""Accounts, people, tokens and the audit log in the API."""
