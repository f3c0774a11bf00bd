"""What a campaign will cost: from the cheapest results of its messages to the amount held."""

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
    """Recipients whose terminals have the same ability: their number, a message's cost."""

    name: str
    count: int
    least: int
    most: int


@dataclass(frozen=True)
class Estimate:
    """An estimate in units: the lowest and the highest cost if every message is delivered.

    `most` is also the upper limit of what is held at once. `covers` is the number of messages that
    the balance surely pays for, before any money is returned. `problem` tells a person why there is
    no estimate.
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
        """The top-up needed so that the campaign cannot run out of money."""
        return max(0, self.most - self.spendable)

    @property
    def share(self) -> float:
        """The share of the recipients that the balance surely covers."""
        return self.covers / self.recipients if self.recipients else 0.0


def estimate_of(campaign: Campaign) -> Estimate:
    """Estimate with the tariff of now, or of the scheduled time, and by terminal abilities."""
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
    """Return the top-up needed so that the rest of a campaign cannot run out of money."""
    estimate = estimate_of(campaign)
    dearest = max((kind.most for kind in estimate.kinds if kind.count), default=0)
    left = campaign.recipients.filter(state="").count()
    return max(0, left * dearest - estimate.spendable)


def _ends(*quotes: Quote) -> tuple[int, int]:
    """Return the lowest and the highest price of these quotes."""
    prices = [price for each in quotes for price in each.prices.values()]
    return min(prices), max(prices)
