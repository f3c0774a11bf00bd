"""Scarce people and systems: the waiting line, the admission gate, the dispatcher.

Three Django apps that do not know each other (docs/architecture.md).
"""
