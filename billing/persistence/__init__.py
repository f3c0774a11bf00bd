"""From the wallets' streams of change entries into SQL's books, each entry exactly once.

A batch is closed in Redis under its number, written to SQL as deltas in one transaction with up to
a thousand accounts, then trimmed in Redis. Whatever dies between two of these is gone on with: a
closed batch stays closed, and SQL knows which numbers it has (docs/decisions/0016).
"""
