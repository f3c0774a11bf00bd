"""Prices: sub-modes, counting rules, tariffs as values, quotes. Pure functions; no I/O."""

from billing.pricing.book import Book, Version, gaps
from billing.pricing.content import Content, content_of, missing_of
from billing.pricing.examples import Example, example
from billing.pricing.quotes import PriceError, quote
from billing.pricing.segments import segments
from billing.pricing.tariff import Price, Prices, TariffError, read_prices, stored

__all__ = [
    "Book",
    "Content",
    "Example",
    "Price",
    "PriceError",
    "Prices",
    "TariffError",
    "Version",
    "content_of",
    "example",
    "gaps",
    "missing_of",
    "quote",
    "read_prices",
    "segments",
    "stored",
]
