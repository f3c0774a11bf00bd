"""Rolling upgrades: an operator orders one, and any worker continues it."""
