"""From the bytes of a request to events, or to what is wrong with them."""

from numbers.schemas import ITEMS_LIMIT, Event
from poolsite.api.reading import BodyReader

EVENTS: BodyReader[Event] = BodyReader(Event, items_limit=ITEMS_LIMIT)
