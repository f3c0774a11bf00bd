"""What one message costs by a price: the example beside each row of a price list."""

from dataclasses import dataclass
from typing import Final

from billing.pricing.content import Content
from billing.pricing.tariff import Price

CHARACTERS: Final = 100  # Chinese ones: two SMS
KILOBYTES: Final = 280
_TEXT: Final = "\N{CJK UNIFIED IDEOGRAPH-4E00}" * CHARACTERS
CONTENT: Final = Content(_TEXT, _TEXT, KILOBYTES, KILOBYTES)


@dataclass(frozen=True, slots=True)
class Example:
    """How many units the example message is, and what they cost together."""

    units: int
    cost: int


def example(mode: str, price: Price) -> Example:
    """The example message in a sub-mode; of a call one interval."""
    units = price.count(mode, CONTENT)
    return Example(units, units * price.unit_price)
