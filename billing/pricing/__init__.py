"""Prices: sub-modes, counting rules, tariffs as values, quotes. Pure functions; no I/O."""

from billing.pricing.content import Content, content_of, missing_of
from billing.pricing.quotes import Offer, PriceError, offer
from billing.pricing.segments import segments
from billing.pricing.tariff import Price, Prices, TariffError, read_prices, stored

__all__ = [
    "Content",
    "Offer",
    "Price",
    "PriceError",
    "Prices",
    "TariffError",
    "content_of",
    "missing_of",
    "offer",
    "read_prices",
    "segments",
    "stored",
]
