"""From the bytes of a request to events, or to what is wrong with them."""

from numbers.schemas import ITEMS_LIMIT, Event
from poolsite.api.reading import MalformedError, Reader, TooDeepError

__all__ = ["EVENTS", "MalformedError", "Reader", "TooDeepError"]

EVENTS: Reader[Event] = Reader(Event, items_limit=ITEMS_LIMIT)
