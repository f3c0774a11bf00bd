"""Actions on one campaign: upload again, test, send, pause, resume, cancel, delete."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from billing.models import Campaign
from billing.money import UNITS
from billing.presentation import amount as amount_words
from billing.selectors.campaigns_estimate import missing_of
from billing.services import campaigns as services
from billing.services.campaigns_test_send import campaign_test_send
from billing.services.campaigns_upload import recipients_upload
from billing.views.campaigns_common import found_of, step
from poolsite import access
from poolsite.console.pages import principal_of


@require_POST
@step
def campaign_upload(request: HttpRequest, campaign: Campaign) -> str:
    """Replace the file of recipients."""
    file = request.FILES.get("file")
    if file is None or not file.name:
        raise ValidationError(_("Choose a file first."))
    recipients_upload(
        actor=principal_of(request), campaign=campaign, file_name=file.name, data=file.chunks()
    )
    return ""


@require_POST
@step
def campaign_test(request: HttpRequest, campaign: Campaign) -> str:
    """Send the template to one's own number."""
    number = request.POST.get("number", "")[:60]
    sent = campaign_test_send(actor=principal_of(request), campaign=campaign, number=number)
    held = amount_words(sent.intent.quoted, campaign.wallet.account.currency)
    return _("Sent to %(number)s. %(amount)s is held until the delivery report arrives.") % {
        "number": sent.recipient.number,
        "amount": held,
    }


@require_POST
@step
def campaign_send(request: HttpRequest, campaign: Campaign) -> str:
    """Start to send, or wait for the scheduled time."""
    found = services.campaign_send(actor=principal_of(request), campaign=campaign)
    if found.status == Campaign.Status.SCHEDULED:
        return _("Campaign scheduled.")
    return ""


@require_POST
@step
def campaign_pause(request: HttpRequest, campaign: Campaign) -> str:
    """Stop after the messages that are under way."""
    services.campaign_pause(actor=principal_of(request), campaign=campaign)
    return _("Campaign paused. Messages already submitted are not affected.")


@require_POST
@step
def campaign_resume(request: HttpRequest, campaign: Campaign) -> str:
    """Continue where it stopped."""
    services.campaign_resume(actor=principal_of(request), campaign=campaign)
    return ""


@require_POST
def campaign_top_up(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Pay for the rest; the campaign resumes automatically once the money is there."""
    found = found_of(request, slug, pk, "billing.send")
    access.require(principal_of(request), "billing.pay", found.wallet)
    try:
        services.campaign_await_top_up(actor=principal_of(request), campaign=found)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("billing:campaign", slug, pk)
    amount = -(-missing_of(found) // UNITS)
    return redirect(f"{reverse('billing:top_up', args=[slug])}?amount={max(1, amount)}")


@require_POST
@step
def campaign_cancel(request: HttpRequest, campaign: Campaign) -> str:
    """Send nothing more, for good."""
    reason = request.POST.get("reason", "")
    services.campaign_cancel(actor=principal_of(request), campaign=campaign, reason=reason)
    return _("Campaign cancelled. Messages already submitted are not affected.")


@require_POST
def campaign_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a draft."""
    found = found_of(request, slug, pk, "billing.send")
    try:
        services.campaign_delete(actor=principal_of(request), campaign=found)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("billing:campaign", slug, pk)
    messages.success(request, _("Draft “%s” deleted.") % found.name)
    return redirect("billing:campaigns", slug)
