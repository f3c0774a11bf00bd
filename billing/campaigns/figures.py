"""A campaign in figures: what the sending did, and what became of the messages and the money."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# The ends of a message, in the order of legends and tables.
ENDS = ("failed", "expired", "cancelled")


@dataclass(frozen=True)
class Figures:
    """Counts of messages, and sums in units.

    waiting: recipients that were not tried yet. refused: those that nothing was or will be held
    for. held: money held, not handed over. sent: handed over, the final report to come.
    delivered: by sub-mode. returned: held money that came back. charged: what was kept.
    """

    recipients: int = 0
    waiting: int = 0
    refused: int = 0
    held: int = 0
    sent: int = 0
    delivered: Mapping[str, int] = field(default_factory=dict)
    failed: int = 0
    expired: int = 0
    cancelled: int = 0
    held_money: int = 0
    charged: int = 0
    returned: int = 0

    @property
    def delivered_count(self) -> int:
        """Delivered by any mode."""
        return sum(self.delivered.values())

    @property
    def handed_over(self) -> int:
        """Given to the gateway, whatever became of them."""
        return self.sent + self.delivered_count + self.failed + self.expired

    @property
    def open(self) -> int:
        """Messages whose end is still to come."""
        return self.held + self.sent

    def as_data(self) -> dict[str, Any]:
        """The figures as a live topic sends them."""
        return {
            "recipients": self.recipients,
            "waiting": self.waiting,
            "refused": self.refused,
            "held": self.held,
            "sent": self.sent,
            "delivered": dict(self.delivered),
            "delivered_count": self.delivered_count,
            "handed_over": self.handed_over,
            "failed": self.failed,
            "expired": self.expired,
            "cancelled": self.cancelled,
            "held_money": self.held_money,
            "charged": self.charged,
            "returned": self.returned,
        }
