"""The live topics of wallets; importing this registers them."""

from billing.topics import campaigns, wallets, work  # noqa: F401
