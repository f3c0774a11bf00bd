"""Receiving webhooks: how to verify a signature."""
