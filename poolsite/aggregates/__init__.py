"""The life cycle that pools, desks, gates, groups and wallets share."""
