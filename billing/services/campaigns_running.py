"""How a campaign enters and leaves the state `sending`: by a person, the clock, or itself."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from billing import webhook_events
from billing.campaigns.quiet import QuietHours
from billing.models import Campaign, MoneyOrder
from poolsite import jobs, live
from poolsite.access.models import User
from poolsite.access.services.actor import Actor

Status = Campaign.Status
MONEY_IN = (MoneyOrder.Kind.RECHARGE, MoneyOrder.Kind.CREDIT)
SEND_KIND = "billing.campaign"
QUIET = gettext_noop("Quiet hours. Sending resumes automatically.")


def begin_when_due(campaign: Campaign) -> bool:
    """Start a scheduled campaign if its time has come; return whether it started."""
    with transaction.atomic():
        found = locked(campaign)
        due = found.scheduled_at is None or found.scheduled_at <= timezone.now()
        if found.status != Status.SCHEDULED or not due:
            return False
        return begin(found, None)


def paid() -> QuerySet[Campaign]:
    """Return the campaigns that wait for a top-up and whose account got money since."""
    money_in = MoneyOrder.objects.filter(
        wallet=OuterRef("wallet"),
        kind__in=MONEY_IN,
        applied_at__gt=OuterRef("top_up_awaited_since"),
    )
    return Campaign.objects.filter(Exists(money_in), status=Status.LOW_BALANCE)


def begin_when_paid(campaign: Campaign) -> bool:
    """Resume a campaign that waits for a top-up if money came in; return whether it was resumed."""
    with transaction.atomic():
        found = locked(campaign)
        return paid().filter(pk=found.pk).exists() and begin(found, None)


def quiet_hours(campaign: Campaign) -> QuietHours:
    """Return the campaign's quiet hours, in its account's time zone."""
    account = campaign.wallet.account
    return QuietHours(campaign.quiet_from, campaign.quiet_until, account.zone)


def stop(campaign: Campaign, status: str, reason: str, until: datetime | None = None) -> bool:
    """Leave `sending` for another state, with the reason; the sending itself decides this.

    Return False if a person changed the state first; that change stays. Call this inside a
    transaction.
    """
    changes: dict[str, Any] = {"status": status, "status_reason": reason[:200]}
    if until is not None:
        changes["scheduled_at"] = until
    rows = Campaign.objects.filter(pk=campaign.pk, status=Status.SENDING)
    changed = bool(rows.update(**changes))
    if changed:
        touch(campaign)
        if status in (Status.PAUSED, Status.LOW_BALANCE):
            webhook_events.campaign("campaign.paused", campaign, status=status, reason=reason)
    return changed


def touch(campaign: Campaign) -> None:
    """Notify the pages that watch the campaign."""
    live.touch(campaign.topic)


def start_job(campaign: Campaign, actor: User | None) -> None:
    """Start a job that sends; an earlier job then stops. Call this inside a transaction."""
    campaign.job = jobs.start(
        SEND_KIND,
        actor=actor,
        account=campaign.wallet.account,
        data={"campaign": campaign.pk},
    )
    campaign.save(update_fields=["job"])


def locked(campaign: Campaign) -> Campaign:
    """Return the campaign, locked until the transaction ends, so that of two clicks one counts."""
    rows = Campaign.objects.select_related("wallet__account", "template", "chatbot", "job")
    return rows.select_for_update(of=("self",)).get(pk=campaign.pk)


def begin(found: Campaign, actor: User | None) -> bool:
    """Send now and return True, or wait for a later time. Call this inside a transaction."""
    now = timezone.now()
    quiet_end = quiet_hours(found).end(max(now, found.scheduled_at or now))
    later = quiet_end or found.scheduled_at
    if later is not None and later > now:
        found.status, found.scheduled_at = Status.SCHEDULED, later
        found.status_reason = QUIET if quiet_end else ""
        found.save(update_fields=["status", "scheduled_at", "status_reason"])
        touch(found)
        return False
    found.status, found.status_reason = Status.SENDING, ""
    found.started_at = found.started_at or now
    found.top_up_awaited_since = None
    found.save(update_fields=["status", "status_reason", "started_at", "top_up_awaited_since"])
    start_job(found, actor)
    touch(found)
    return True


def user_of(actor: Actor) -> User | None:
    """Return the person behind an actor, or None for tokens and parts of the system."""
    if isinstance(actor, User):
        return actor
    if isinstance(actor, str) or actor.user_id is None:
        return None
    return User.objects.filter(pk=actor.user_id).first()
