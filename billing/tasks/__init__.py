"""The sweeps of money; each may run twice at once, on any worker. Importing this registers them."""

from billing.tasks import books, paying

__all__ = ["books", "paying"]
