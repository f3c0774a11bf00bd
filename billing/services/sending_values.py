"""Values passed between the steps of sending: messages, their results, and reasons to stop."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext_noop

from billing.gateways import Handover, handover_of
from billing.models import Campaign, HoldIntent, Recipient

Status = Campaign.Status
OPTED_OUT = gettext_noop("Opted out after the upload")
OTHER_BODY = gettext_noop("Another message has this ID")


@dataclass(frozen=True)
class Stop:
    """Why nothing more may be sent now, and whether the campaign resumes automatically."""

    status: str
    reason: str
    again: bool = False
    tomorrow: bool = False


NO_TARIFF = Stop(Status.PAUSED, gettext_noop("No tariff is valid now."))
STOPS: Mapping[str, Stop] = {
    "insufficient balance": Stop(
        Status.LOW_BALANCE, gettext_noop("The balance is too low for the next message.")
    ),
    "daily limit": Stop(
        Status.SCHEDULED,
        gettext_noop("The daily limit is reached. Sending resumes automatically tomorrow."),
        tomorrow=True,
    ),
    "frozen": Stop(Status.PAUSED, gettext_noop("The account is frozen.")),
    "closed": Stop(Status.PAUSED, gettext_noop("The account is closed.")),
    "safe mode": Stop(
        Status.SCHEDULED,
        gettext_noop("The account is being recovered. Sending resumes automatically."),
        again=True,
    ),
    "backlog full": Stop(
        Status.SCHEDULED,
        gettext_noop("Too many entries are waiting to be written. Sending resumes automatically."),
        again=True,
    ),
}
OTHERWISE = Stop(
    Status.SCHEDULED,
    gettext_noop("The balance can't be used right now. Sending resumes automatically."),
    again=True,
)


@dataclass(frozen=True)
class Prepared:
    """A recipient whose message is priced and whose intent is in SQL."""

    recipient: Recipient
    intent: HoldIntent
    yuexin: bool

    def handover(self, campaign: Campaign) -> Handover:
        """Return the message as the gateway gets it: always the same for the same ID."""
        return message_of(campaign, self.recipient, self.yuexin)


@dataclass
class Recorded:
    """The results of the messages, to be recorded.

    `done`: ended before (a worker died after handing them over). `spent`: their ID was cancelled
    unsent. `unanswered`: their state is unknown; they are handed over again under the same ID.
    """

    taken: list[Prepared] = field(default_factory=list)
    done: list[Prepared] = field(default_factory=list)
    refused: list[tuple[Prepared, str]] = field(default_factory=list)
    conflicts: list[Prepared] = field(default_factory=list)
    spent: list[Prepared] = field(default_factory=list)
    unanswered: list[Prepared] = field(default_factory=list)


@dataclass
class Held:
    """The result of holding: messages to hand over, and what stops the rest."""

    ready: list[Prepared] = field(default_factory=list)
    recorded: Recorded = field(default_factory=Recorded)
    stop: Stop | None = None


def message_of(campaign: Campaign, row: Recipient, yuexin: bool) -> Handover:
    """Return the message for a recipient, according to the terminal's ability."""
    return handover_of(
        campaign.template,
        account=campaign.wallet.slug,
        chatbot=campaign.chatbot.slug,
        message_id=row.message_id,
        number=row.number,
        yuexin=yuexin,
    )
