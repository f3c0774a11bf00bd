"""Prepaid wallets: held before, settled after, never below zero (docs/architecture.md)."""
