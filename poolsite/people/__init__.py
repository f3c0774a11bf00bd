"""Pages, API and admin of accounts, people, tokens and the audit log."""
