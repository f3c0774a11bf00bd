"""The wallets' live topics; importing this registers them."""

from billing.topics import campaigns, wallets, work  # noqa: F401
