"""A campaign in figures: the progress of sending, and the results in messages and money."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from billing.wallet import WalletChange


@dataclass(frozen=True)
class CampaignFigures:
    """Counts of messages, and sums in units.

    waiting: recipients that were not tried yet. refused: recipients for which nothing was or will
    be held. held: held, but not passed to the gateway. sent: passed to the gateway, without a final
    report. delivered: by sub-mode. held_money: the money held. charged: the money charged.
    returned: held money that was returned.
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
        """Messages delivered in any mode."""
        return sum(self.delivered.values())

    @property
    def undelivered(self) -> int:
        """Messages that failed, expired or were refused."""
        return self.failed + self.expired + self.refused

    @property
    def handed_over(self) -> int:
        """Messages passed to the gateway, whatever their result."""
        return self.sent + self.delivered_count + self.failed + self.expired

    @property
    def open(self) -> int:
        """Messages without a final state."""
        return self.held + self.sent

    def by_show(self) -> dict[str, int]:
        """Return the number of recipients in each part of the list (selectors.campaigns.SHOWS)."""
        return {
            "": self.recipients,
            "delivered": self.delivered_count,
            "waiting": self.waiting + self.held + self.sent,
            "failed": self.failed + self.expired + self.cancelled,
            "refused": self.refused,
        }

    def after(self, changes: Iterable[WalletChange]) -> "CampaignFigures":
        """Return the figures after these change entries of the campaign's messages.

        A message that ends is assumed to have been sent, because campaigns mark each message as
        sent just before it is passed to the gateway. If a race breaks that, the next read from SQL
        corrects it.
        """
        now = _Counts(self)
        for change in changes:
            now.take(change)
        return now.figures()

    def as_data(self) -> dict[str, Any]:
        """Return the figures in the form that the live topic sends."""
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


class _Counts:
    """Mutable figures, for adding entries."""

    def __init__(self, begin: CampaignFigures) -> None:
        self.begin = begin
        self.delivered = dict(begin.delivered)
        self.counts = {
            name: getattr(begin, name)
            for name in ("held", "sent", "failed", "expired", "cancelled")
        }
        self.held_money, self.charged = begin.held_money, begin.charged
        self.returned = begin.returned

    def take(self, change: WalletChange) -> None:
        """Add an entry."""
        counts = self.counts
        self.held_money += change.held
        if change.kind == "hold":
            counts["sent" if change.state == "sent" else "held"] += 1
            return
        if change.kind == "sent":
            counts["held"] -= 1
            counts["sent"] += 1
            return
        if change.kind not in ("settle", "fail", "expire", "cancel"):
            return
        counts["held" if change.kind == "cancel" else "sent"] -= 1
        self.returned += change.spendable
        if change.kind == "settle":
            self.charged += change.price
            self.delivered[change.mode] = self.delivered.get(change.mode, 0) + 1
        else:
            counts[change.state] = counts.get(change.state, 0) + 1

    def figures(self) -> CampaignFigures:
        """Return the figures. A recipient counts as waiting until money was held for it."""
        counts = {name: max(0, count) for name, count in self.counts.items()}
        begin = self.begin
        tried = sum(counts.values()) - counts["cancelled"] + sum(self.delivered.values())
        return replace(
            begin,
            **counts,
            delivered=self.delivered,
            waiting=max(0, begin.recipients - begin.refused - tried),
            held_money=max(0, self.held_money),
            charged=self.charged,
            returned=self.returned,
        )
