"""Backups of a site: a consistent copy of Redis and SQL, and how to restore it.

docs/decisions/0050-what-a-backup-holds.md explains why Redis is copied first, and why a restore
does not trust that copy.
"""
