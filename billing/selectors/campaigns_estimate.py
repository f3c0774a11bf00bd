"""What a campaign will cost: from the cheapest ends of its messages to what is held for them."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from billing.models import Campaign
from billing.pricing.quotes import PriceError
from billing.selectors import figures
from billing.selectors.campaigns import abilities_of
from billing.selectors.tariffs import quotes_of, tariff_at
from billing.wallet import Quote


@dataclass(frozen=True)
class TerminalGroup:
    """Recipients whose terminals can do the same: how many, and what one message costs."""

    name: str
    count: int
    least: int
    most: int


@dataclass(frozen=True)
class Estimate:
    """Units. least, most: if every message is delivered, by its cheapest or its dearest end.

    `most` is also what is held at once, at most. covers: how many messages the balance allows
    for sure, before any money comes back. problem: why there is no estimate, for a person.
    """

    kinds: tuple[TerminalGroup, ...] = ()
    spendable: int = 0
    recipients: int = 0
    problem: str = ""

    @property
    def least(self) -> int:
        return sum(kind.count * kind.least for kind in self.kinds)

    @property
    def most(self) -> int:
        return sum(kind.count * kind.most for kind in self.kinds)

    @property
    def covers(self) -> int:
        if self.most <= self.spendable:
            return self.recipients
        dearest = max((kind.most for kind in self.kinds if kind.count), default=0)
        return min(self.recipients, self.spendable // dearest) if dearest else self.recipients

    @property
    def missing(self) -> int:
        """What a top-up must bring so that nothing can stop for money."""
        return max(0, self.most - self.spendable)

    @property
    def share(self) -> float:
        """The part of the recipients that the balance covers for sure."""
        return self.covers / self.recipients if self.recipients else 0.0


def estimate_of(campaign: Campaign) -> Estimate:
    """Estimate by the tariff of now (or of the time it is scheduled for), and by abilities."""
    spendable = figures.of(campaign.wallet).spendable
    tariff = tariff_at(campaign.wallet.account_id, campaign.scheduled_at)
    if tariff is None:
        return Estimate(spendable=spendable, problem=_("No tariff is valid at that time."))
    try:
        quotes = quotes_of(campaign.template, tariff)
    except PriceError:
        problem = _("The tariff has no price for one of the template's modes.")
        return Estimate(spendable=spendable, problem=problem)
    counts = abilities_of(campaign)
    return Estimate(
        kinds=(
            TerminalGroup(_("With Yuexin"), counts[True], *_ends(quotes[True])),
            TerminalGroup(_("Without Yuexin (video)"), counts[False], *_ends(quotes[False])),
            TerminalGroup(_("Unknown"), counts[None], *_ends(*quotes.values())),
        ),
        spendable=spendable,
        recipients=campaign.accepted,
    )


def missing_of(campaign: Campaign) -> int:
    """What a top-up must bring so that the rest of a campaign cannot stop for money."""
    estimate = estimate_of(campaign)
    dearest = max((kind.most for kind in estimate.kinds if kind.count), default=0)
    left = campaign.recipients.filter(state="").count()
    return max(0, left * dearest - estimate.spendable)


def _ends(*quotes: Quote) -> tuple[int, int]:
    """The cheapest and the dearest end of these."""
    prices = [price for each in quotes for price in each.prices.values()]
    return min(prices), max(prices)
