"""Campaigns: a new one, and one from its draft to its last report."""

from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from billing.models import Campaign, Template
from billing.presentation import amount
from billing.pricing.content import missing_of
from billing.selectors import figures as wallet_figures
from billing.selectors.campaigns import (
    SHOWN_DROPPED,
    SHOWS,
    ResultQuery,
    dropped_rows,
    templates_of,
)
from billing.selectors.campaigns_estimate import Estimate, estimate_of
from billing.selectors.people import names_of
from billing.selectors.wallets import own_wallet, visible_wallets, wallet_get
from billing.services import campaigns as services
from billing.services.campaigns_upload import recipients_upload
from billing.views.campaigns_common import (
    CampaignForm,
    CampaignSettingsForm,
    chip_of,
    found_of,
    may_send,
)
from billing.views.campaigns_progress import progress_context
from billing.views.common import link, may_pay, number_of
from billing.views.messages_words import outcome, place_of, range_words
from poolsite import access
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.console.templatetags.console import figure
from poolsite.dates import moment
from poolsite.table_sentences import said

Status = Campaign.Status


@require_GET
def own(request: HttpRequest, page: str) -> HttpResponse:
    """Redirect to a page of the user's own account, else of the first that they may see."""
    principal = principal_of(request)
    access.require(principal, "billing.view")
    wallet = own_wallet(principal) or visible_wallets(principal).order_by("account__slug").first()
    if wallet is None:
        return redirect("billing:balance")
    return redirect(f"billing:{page}", wallet.slug)


@require_http_methods(["GET", "POST"])
def campaign_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter name, template and recipients; the campaign's page then shows each row's result."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.send")
    templates = [each for each in templates_of(wallet) if not missing_of(each)]
    form = CampaignForm(templates, request.POST or None, initial={"name": ""})

    def create(name: str, template: Template) -> Campaign:
        file = request.FILES.get("file")
        if file is None or not file.name:
            raise ValidationError(_("Choose a file first."))
        with transaction.atomic():
            campaign = services.campaign_create(
                actor=principal, wallet=wallet, template=template, name=name
            )
            recipients_upload(
                actor=principal, campaign=campaign, file_name=file.name, data=file.chunks()
            )
        return campaign

    if answer := saved(form, create, lambda made: redirect("billing:campaign", slug, made.pk)):
        return answer
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "form": form,
        "templates": templates,
        "templates_url": link("templates", slug),
    }
    return form_page(request, "billing/campaigns/new.html", context)


@require_http_methods(["GET", "POST"])
def campaign_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show one campaign; a POST changes the draft's message and time."""
    action = "billing.send" if request.method == "POST" else "billing.view"
    campaign = found_of(request, slug, pk, action)
    if campaign.status == Status.DRAFT:
        with timezone.override(ZoneInfo(campaign.wallet.account.zone)):
            return _draft(request, campaign)
    if request.method == "POST":
        messages.error(request, _("This campaign is no longer a draft. Nothing was changed."))
        return redirect("billing:campaign", slug, pk)
    return render(
        request,
        "billing/campaigns/sent.html",
        _common(request, campaign) | _sent(request, campaign),
    )


def _common(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    return {
        "campaign": campaign,
        "wallet": campaign.wallet,
        "account": campaign.wallet.account,
        "chip": chip_of(campaign),
        "reason": said(_(campaign.status_reason)) if campaign.status_reason else "",
        "may": may_send(principal_of(request), campaign),
        "balance": wallet_figures.of(campaign.wallet),
    }


def _draft(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    initial = {
        "name": campaign.name,
        "template": str(campaign.template_id),
        "scheduled_at": campaign.scheduled_at,
        "quiet_from": campaign.quiet_from,
        "quiet_until": campaign.quiet_until,
    }
    templates = templates_of(campaign.wallet)
    form = CampaignSettingsForm(templates, request.POST or None, initial=initial)
    save = partial(services.campaign_change, actor=principal_of(request), campaign=campaign)
    done = redirect_with(
        request, _("Draft saved."), "billing:campaign", campaign.wallet.slug, campaign.pk
    )
    if answer := saved(form, save, done):
        return answer
    known = bool(campaign.accepted) and not campaign.is_reading
    estimate = estimate_of(campaign) if known else Estimate()
    context = _common(request, campaign) | {
        "form": form,
        "estimate": estimate,
        "known": known,
        "problems": services.problems_of(campaign),
        "dropped": dropped_rows(campaign, SHOWN_DROPPED),
        "send_label": _send_label(campaign),
        "send_words": _send_words(campaign, estimate) if known else "",
        "facts": _settings(campaign),
        "may_pay": may_pay(principal_of(request), campaign.wallet),
        "top_up_url": link("top_up", campaign.wallet.slug),
        "page": progress_context(request, campaign)["page"],
    }
    return form_page(request, "billing/campaigns/draft.html", context)


def _send_label(campaign: Campaign) -> str:
    n = {"n": figure(campaign.accepted)}
    if campaign.scheduled_at:
        return ngettext("Schedule %(n)s message", "Schedule %(n)s messages", campaign.accepted) % n
    return ngettext("Send %(n)s message", "Send %(n)s messages", campaign.accepted) % n


def _send_words(campaign: Campaign, estimate: Estimate) -> str:
    """Describe what the button does before the click: recipients, template, time and cost."""
    given = {
        "n": figure(campaign.accepted),
        "template": campaign.template.name,
        "at": moment(campaign.scheduled_at),
        "from": f"{campaign.quiet_from:%H:%M}" if campaign.quiet_from else "",
        "until": f"{campaign.quiet_until:%H:%M}" if campaign.quiet_until else "",
        "least": amount(estimate.least, campaign.wallet.account.currency),
        "most": amount(estimate.most, campaign.wallet.account.currency),
    }
    if campaign.scheduled_at:
        words = _("Sends “%(template)s” to %(n)s recipients on %(at)s.")
    else:
        words = _("Sends “%(template)s” to %(n)s recipients now.")
    parts = [words % given]
    if campaign.quiet_from:
        parts.append(_("Pauses during quiet hours, %(from)s to %(until)s.") % given)
    if estimate.least == estimate.most:
        parts.append(_("Costs up to %(most)s.") % given)
    else:
        parts.append(_("Costs %(least)s to %(most)s.") % given)
    said = parts[0]
    for part in parts[1:]:
        said = _("%(said)s %(more)s") % {"said": said, "more": part}
    return said


def _settings(campaign: Campaign) -> list[tuple[str, str]]:
    """Return the draft's message and time as text."""
    quiet = ""
    if campaign.quiet_from:
        quiet = f"{campaign.quiet_from:%H:%M}–{campaign.quiet_until:%H:%M}"
    at = moment(campaign.scheduled_at) if campaign.scheduled_at else ""
    return [
        (_("Template"), campaign.template.name),
        (_("Chatbot"), campaign.chatbot.name),
        (_("Send at"), at or _("immediately")),
        (_("Quiet hours"), quiet or _("none")),
    ]


def _sent(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    show = request.GET.get("show", "")
    show = show if show in SHOWS else ""
    after = number_of(request.GET.get("after", "")) or 0
    rows, following = ResultQuery(show, after).page(campaign)
    progress = progress_context(request, campaign)
    counts = progress["figures"].by_show()
    first = place_of(request)
    total = max(counts[show], first + len(rows)) if following else first + len(rows)
    return {
        **progress,
        "rows": [{"result": row, "reason": outcome(row.state, row.reason)} for row in rows],
        "show": show,
        "tabs": _tabs(show, counts),
        "as_of": campaign.wallet.persisted_at or timezone.now(),
        "running": campaign.status in (Status.SENDING, Status.SENT),
        "shown": range_words(first, len(rows), total),
        "next_url": address({"show": show}, after=following, at=first + len(rows))
        if following
        else "",
        "back_url": f"?show={show}" if after else "",
        "created_by": names_of([campaign.created_by])[campaign.created_by],
        "may_pay": may_pay(principal_of(request), campaign.wallet),
        "top_up_url": link("top_up", campaign.wallet.slug),
    }


def _tabs(show: str, counts: dict[str, int]) -> list[dict[str, Any]]:
    words = {
        "": _("All"),
        "delivered": _("Delivered"),
        "waiting": _("Waiting"),
        "failed": _("Not delivered"),
        "refused": _("Refused"),
    }
    return [
        {
            "url": f"?show={name}",
            "word": word,
            "count": counts[name],
            "name": name or "all",
            "current": name == show,
        }
        for name, word in words.items()
    ]
