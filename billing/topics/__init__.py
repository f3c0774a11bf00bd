"""The wallets' live topics; importing this registers them."""
