"""Receiving webhooks: how a signature is verified."""
