"""A test message: the campaign's template to one's own number, charged like any other."""

import asyncio
from contextlib import suppress

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from billing import gateways, servers
from billing import wallet as commands
from billing.campaigns.reach import reach
from billing.models import Campaign, HoldIntent, Recipient
from billing.pricing.content import missing_of
from billing.pricing.quotes import PriceError
from billing.selectors.tariffs import tariff_at
from billing.services.campaigns_running import locked
from billing.services.opt_outs import opted_out
from billing.services.sending_intents import new_intents
from billing.services.sending_steps import request_of
from billing.services.sending_values import OTHERWISE, STOPS, Prepared
from poolsite import access
from poolsite.access.services.actor import Actor, require
from poolsite.hotpath import HotPath

TESTS_LIMIT = 20  # of one campaign


def campaign_test_send(*, actor: Actor, campaign: Campaign, number: str) -> Prepared:
    """Send the template to a number now, and return what was sent.

    Raise ValidationError, charging nothing, for a bad number, no tariff, too little balance, no
    gateway or too many tests. If the gateway does not take the message, the money is returned.
    """
    require(actor, "billing.send", campaign)
    reached = reach(number)
    if reached.why:
        raise ValidationError({"number": _("Enter a number that can receive messages.")})
    if opted_out(campaign.wallet.account_id, [reached.number]):
        raise ValidationError({"number": _("This number has opted out.")})
    if missing := missing_of(campaign.template):
        text = _("The template is not complete: %s is missing.") % ", ".join(missing)
        raise ValidationError(text)
    prepared = _prepare(actor, campaign, reached.number)
    path = servers.path(campaign.wallet)
    charge = path.run(commands.hold(campaign.wallet.slug, request_of(campaign, prepared)))
    if not charge.made:
        raise ValidationError(_(STOPS.get(charge.answer, OTHERWISE).reason))
    path.run(commands.sent(campaign.wallet.slug, [prepared.intent.message_id]))
    answer, reason = _hand_over(prepared, campaign)
    if answer is not gateways.SubmitResult.TAKEN:
        _return(path, prepared, campaign, answer, reason)
    return prepared


def _prepare(actor: Actor, campaign: Campaign, number: str) -> Prepared:
    """Number the test, quote it, and store its intent."""
    if not gateways.is_configured():
        raise ValidationError(_("No gateway is configured. Ask an operator to set one up."))
    tariff = tariff_at(campaign.wallet.account_id)
    if tariff is None:
        raise ValidationError(_("No tariff is valid now."))
    with transaction.atomic():
        found = locked(campaign)
        if found.test_sends >= TESTS_LIMIT:
            raise ValidationError(
                _("This campaign has reached the limit of %d test messages.") % TESTS_LIMIT
            )
        Campaign.objects.filter(pk=found.pk).update(test_sends=F("test_sends") + 1)
        row = Recipient(
            campaign=found, row=0, number=number, message_id=f"t{found.pk}-{found.test_sends + 1}"
        )
        try:
            intent = new_intents(found, [row], tariff)[0]
        except PriceError as error:
            raise ValidationError(str(error)) from error
        intent.save()
        access.audit(
            actor=actor,
            action="billing.campaign_test",
            thing=found,
            after={"message": intent.message_id},
        )
    return Prepared(row, HoldIntent.objects.get(pk=intent.pk), bool(row.supports_yuexin))


def _hand_over(prepared: Prepared, campaign: Campaign) -> tuple[gateways.SubmitResult, str]:
    async def send() -> tuple[gateways.SubmitResult, str]:
        async with gateways.open_gateway() as gateway:
            return (await gateway.send([prepared.handover(campaign)]))[0]

    return asyncio.run(send())


def _return(
    path: HotPath,
    prepared: Prepared,
    campaign: Campaign,
    answer: gateways.SubmitResult,
    reason: str,
) -> None:
    """Return the money of a message that was refused for good; if in doubt, after 72 h."""
    if answer is gateways.SubmitResult.REFUSED:
        with suppress(ValueError):
            report = commands.DeliveryReport(
                prepared.intent.message_id, final=True, delivered=False
            )
            path.run(commands.report(campaign.wallet.slug, report))
        raise ValidationError(
            _("The gateway refused the message (%s). Nothing was charged.") % reason
        )
    raise ValidationError(
        _("The gateway isn't responding. The money is returned unless it reports a delivery.")
    )
