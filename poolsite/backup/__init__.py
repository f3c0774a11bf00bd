"""Backups of a site: a copy of Redis and SQL that fit together, and the way back from it.

Why the copy of Redis comes first, and why a restore does not believe it:
docs/decisions/0050-what-a-backup-holds.md.
"""
