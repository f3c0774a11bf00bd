"""A message gateway that answers as gateways do: a process of its own with its own HTTP interface.

What becomes of a message is decided by the last digit of its number (outcomes.py), so that a
test, a person or a fault run knows beforehand what the ledger must say.
"""
