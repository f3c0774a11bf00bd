"""A simulated message gateway: a separate process with its own HTTP interface.

The last digit of a message's number decides its outcome (outcomes.py), so that a test, a person or
a fault run knows beforehand what the ledger must contain.
"""
