"""Prices: sub-modes, counting rules, tariffs as values, quotes. Pure functions; no I/O."""
