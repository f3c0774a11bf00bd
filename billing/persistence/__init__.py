"""Writes the wallets' streams of change entries to SQL's books, each entry exactly once.

A batch is closed in Redis under its number, written to SQL as deltas in one transaction with up to
a thousand accounts, then trimmed in Redis. If a process dies between two of these steps, the next
one continues: a closed batch stays closed, and SQL knows which numbers it has
(docs/decisions/0016).
"""
