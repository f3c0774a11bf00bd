"""Campaigns: created, scheduled, sent, paused, resumed, cancelled; each step is audited."""

from datetime import datetime, time
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing import gateways
from billing.models import Campaign, Template, Wallet
from billing.pricing.content import missing_of
from billing.services.acting import clean_line, wrong_state
from billing.services.campaigns_running import begin, locked, touch, user_of
from poolsite import access
from poolsite.access.services.actor import Actor, name_of, require

Status = Campaign.Status
NAME_LENGTH = 120


@transaction.atomic
def campaign_create(*, actor: Actor, wallet: Wallet, template: Template, name: str) -> Campaign:
    """Create a draft without recipients. Raise ValidationError if the name or template is bad."""
    require(actor, "billing.send", wallet)
    _check_template(wallet, template)
    campaign = Campaign.objects.create(
        wallet=wallet,
        chatbot=template.chatbot,
        template=template,
        name=_clean_name(name),
        created_by=name_of(actor),
    )
    access.audit(
        actor=actor,
        action="billing.campaign_create",
        thing=campaign,
        after={"name": campaign.name, "template": template.pk},
    )
    return campaign


@transaction.atomic
def campaign_change(
    *,
    actor: Actor,
    campaign: Campaign,
    name: str,
    template: Template,
    scheduled_at: datetime | None,
    quiet_from: time | None,
    quiet_until: time | None,
) -> Campaign:
    """Change a draft.

    Raise ValidationError, changing nothing, if it is no draft or a value is bad.
    """
    require(actor, "billing.send", campaign)
    found = locked(campaign)
    _must_be(found, Status.DRAFT)
    _check_template(found.wallet, template)
    if scheduled_at is not None and scheduled_at <= timezone.now():
        raise ValidationError({"scheduled_at": _("Enter a time in the future.")})
    if (quiet_from is None) != (quiet_until is None):
        raise ValidationError(
            {"quiet_until": _("Enter both the start and the end of the quiet hours, or neither.")}
        )
    before = _told(found)
    found.name, found.template, found.chatbot = _clean_name(name), template, template.chatbot
    found.scheduled_at = scheduled_at
    found.quiet_from, found.quiet_until = quiet_from, quiet_until
    found.save()
    after = _told(found)
    if after != before:
        access.audit(
            actor=actor, action="billing.campaign_change", thing=found, before=before, after=after
        )
    return found


@transaction.atomic
def campaign_delete(*, actor: Actor, campaign: Campaign) -> None:
    """Delete a draft with its recipients; nothing was ever held for it."""
    require(actor, "billing.send", campaign)
    found = locked(campaign)
    _must_be(found, Status.DRAFT)
    if found.is_reading:
        raise wrong_state(_("The file is still being read. Try again when it is done."))
    access.audit(
        actor=actor,
        action="billing.campaign_delete",
        thing=found,
        before={"name": found.name, "recipients": found.accepted},
    )
    found.delete()


@transaction.atomic
def campaign_send(*, actor: Actor, campaign: Campaign) -> Campaign:
    """Start to send, or wait for the scheduled time or the end of the quiet hours.

    A second click changes nothing. Raise ValidationError, changing nothing, if recipients, a
    complete template, an open account or a gateway are missing.
    """
    require(actor, "billing.send", campaign)
    found = locked(campaign)
    if found.status != Status.DRAFT and found.status not in Campaign.ENDED:
        return found
    _must_be(found, Status.DRAFT)
    problems = problems_of(found)
    if problems:
        raise ValidationError(problems)
    access.audit(
        actor=actor,
        action="billing.campaign_send",
        thing=found,
        before={"status": found.status},
        after={"recipients": found.accepted, "scheduled_at": found.scheduled_at},
    )
    begin(found, user_of(actor))
    return found


def problems_of(campaign: Campaign) -> list[str]:
    """Return the problems that prevent the sending of a draft, one sentence each."""
    problems = []
    if campaign.is_reading:
        problems.append(_("The file is still being read."))
    elif not campaign.accepted:
        problems.append(_("No recipients yet. Upload a file."))
    if missing := missing_of(campaign.template):
        problems.append(_("The template is not complete: %s is missing.") % ", ".join(missing))
    if campaign.template.archived_at or campaign.chatbot.archived_at:
        problems.append(_("The template or its chatbot is archived. Choose another."))
    if campaign.scheduled_at is not None and campaign.scheduled_at <= timezone.now():
        problems.append(_("The scheduled time has passed. Choose another."))
    if campaign.wallet.status != Wallet.Status.OPEN:
        problems.append(_("The account is frozen or closed."))
    if not gateways.is_configured():
        problems.append(_("No gateway is configured. Ask an operator to set one up."))
    return problems


@transaction.atomic
def campaign_pause(*, actor: Actor, campaign: Campaign) -> Campaign:
    """Stop after the messages that are under way. A second click changes nothing."""
    require(actor, "billing.send", campaign)
    found = locked(campaign)
    if found.status == Status.PAUSED:
        return found
    _must_be(found, Status.SENDING, Status.SCHEDULED, Status.LOW_BALANCE)
    _move(found, Status.PAUSED, actor, "billing.campaign_pause")
    return found


@transaction.atomic
def campaign_resume(*, actor: Actor, campaign: Campaign) -> Campaign:
    """Continue where it stopped. A second click changes nothing."""
    require(actor, "billing.send", campaign)
    found = locked(campaign)
    if found.status == Status.SENDING:
        return found
    _must_be(found, Status.PAUSED, Status.LOW_BALANCE)
    if found.scheduled_at is not None and found.scheduled_at > timezone.now():
        _move(found, Status.SCHEDULED, actor, "billing.campaign_resume")
        return found
    access.audit(
        actor=actor,
        action="billing.campaign_resume",
        thing=found,
        before={"status": found.status},
    )
    begin(found, user_of(actor))
    return found


@transaction.atomic
def campaign_await_top_up(*, actor: Actor, campaign: Campaign) -> Campaign:
    """Resume automatically after the next top-up. A second click changes nothing."""
    require(actor, "billing.send", campaign)
    found = locked(campaign)
    _must_be(found, Status.LOW_BALANCE)
    if found.top_up_awaited_since is None:
        found.top_up_awaited_since = timezone.now()
        found.save(update_fields=["top_up_awaited_since"])
        access.audit(actor=actor, action="billing.campaign_await_top_up", thing=found)
        touch(found)
    return found


@transaction.atomic
def campaign_cancel(*, actor: Actor, campaign: Campaign, reason: str) -> Campaign:
    """Send nothing more, for good; messages handed over continue.

    A second click changes nothing.
    """
    require(actor, "billing.send", campaign)
    found = locked(campaign)
    if found.status == Status.CANCELLED:
        return found
    _must_be(found, Status.SCHEDULED, Status.SENDING, Status.PAUSED, Status.LOW_BALANCE)
    why = clean_line(reason, needed=True)
    found.ended_at = timezone.now()
    _move(found, Status.CANCELLED, actor, "billing.campaign_cancel", why)
    return found


def _move(found: Campaign, status: str, actor: Actor, action: str, reason: str = "") -> None:
    before, found.status, found.status_reason = found.status, status, reason
    found.save(update_fields=["status", "status_reason", "ended_at"])
    access.audit(
        actor=actor,
        action=action,
        thing=found,
        before={"status": before},
        after={"status": status},
        reason=reason,
    )
    touch(found)


def _must_be(found: Campaign, *statuses: str) -> None:
    if found.status not in statuses:
        raise wrong_state(
            _("The campaign's status is “%s”. Nothing was changed.") % found.get_status_display()
        )


def _check_template(wallet: Wallet, template: Template) -> None:
    if template.chatbot.account_id != wallet.account_id:
        raise ValidationError({"template": _("Choose a template.")})
    if template.archived_at or template.chatbot.archived_at:
        raise ValidationError({"template": _("This template is archived. Choose another.")})
    if missing := missing_of(template):
        text = _("This template is not complete: %s is missing.") % ", ".join(missing)
        raise ValidationError({"template": text})


def _clean_name(name: str) -> str:
    cleaned = clean_line(name)[:NAME_LENGTH]
    if not cleaned:
        raise ValidationError({"name": _("Enter a name for the campaign.")})
    return cleaned


def _told(found: Campaign) -> dict[str, Any]:
    return {
        "name": found.name,
        "template": found.template_id,
        "scheduled_at": found.scheduled_at,
        "quiet": [str(found.quiet_from or ""), str(found.quiet_until or "")],
    }
