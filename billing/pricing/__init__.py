"""Prices: sub-modes, counting rules, tariffs as values, quotes. Pure functions without I/O."""
