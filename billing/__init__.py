"""Prepaid wallets: money is held first and settled later, within the balance and credit limit.

See docs/architecture.md.
"""
