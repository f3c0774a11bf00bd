"""What a message costs at a price: the example next to each row of a price list."""

from dataclasses import dataclass
from typing import Final

from billing.pricing.content import Content
from billing.pricing.tariff import Price

CHARACTERS: Final = 100  # in Chinese: two SMS
KILOBYTES: Final = 280
_TEXT: Final = "\N{CJK UNIFIED IDEOGRAPH-4E00}" * CHARACTERS
CONTENT: Final = Content(_TEXT, _TEXT, KILOBYTES, KILOBYTES)


@dataclass(frozen=True, slots=True)
class Example:
    """The number of units of the example message, and their cost."""

    units: int
    cost: int


def example(mode: str, price: Price) -> Example:
    """Return the example message in a sub-mode. For calls, it is one interval."""
    units = price.count(mode, CONTENT)
    return Example(units, units * price.unit_price)
