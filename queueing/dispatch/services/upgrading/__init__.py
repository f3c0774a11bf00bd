"""A rolling upgrade: an operator orders it, whichever worker ticks carries it on."""
