"""Usage by mode and chatbot: the chart's figures, and a page with the chart."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from datetime import date

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from billing.models import Chatbot
from billing.presentation import MODE_LOOKS, mode_word
from billing.pricing.modes import MODES
from billing.selectors.usage import RANGES, usage
from billing.selectors.wallets import wallet_get
from billing.views.common import link
from poolsite import dates
from poolsite.console.pages import principal_of
from poolsite.console.verbs import answers_json


@require_GET
def usage_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the usage of one account."""
    wallet = wallet_get(principal_of(request), slug)
    page = {
        "slug": wallet.slug,
        "currency": wallet.account.currency,
        "explain_url": link("explain", wallet.slug, "revenue"),
    }
    context = {"wallet": wallet, "account": wallet.account, "page": page}
    return render(request, "billing/usage.html", context)


@require_GET
@answers_json
def usage_data(request: HttpRequest, slug: str) -> HttpResponse:
    """Return a chart's steps with the charges by mode, and the shares of the chatbots."""
    wallet = wallet_get(principal_of(request), slug)
    wanted = request.GET.get("range", "7d")
    if wanted not in RANGES:
        raise ValidationError(_("Time range not found."))
    found = usage(wallet, wanted, now=timezone.now())
    names = dict(Chatbot.objects.filter(account=wallet.account).values_list("slug", "name"))
    chatbots = sorted(found.by_chatbot.items(), key=lambda pair: -pair[1])
    return JsonResponse(
        {
            "days": [step.isoformat() for step in found.steps],
            "untils": [_last_day(step, wanted).isoformat() for step in found.steps],
            "labels": [_label(step, wanted) for step in found.steps],
            "titles": [_title(step, wanted) for step in found.steps],
            "step_word": _("Month") if wanted == "12m" else _("Day"),
            "series": series_of(found.by_mode, found.messages),
            "totals": found.totals,
            "chatbots": [
                {"slug": slug, "name": names.get(slug, slug) or _("No chatbot"), "charged": units}
                for slug, units in chatbots
            ],
        }
    )


def series_of(
    by_mode: Mapping[str, Sequence[int]], messages: Mapping[str, Sequence[int]]
) -> list[dict[str, object]]:
    """Return the modes in their fixed order; unknown modes follow, in one colour."""
    known = [mode for mode in MODES if mode in by_mode]
    other = sorted(set(by_mode) - set(MODES))
    return [
        {
            "mode": mode,
            "label": mode_word(mode) or _("Other"),
            "short": _short(mode),
            "look": MODE_LOOKS.get(mode, "other"),
            "values": by_mode[mode],
            "messages": messages.get(mode, []),
        }
        for mode in [*known, *other]
    ]


def _last_day(step: date, wanted: str) -> date:
    """Return the last day of a step."""
    if wanted != "12m":
        return step
    return step.replace(day=monthrange(step.year, step.month)[1])


def _short(mode: str) -> str:
    """Return a short name, for a legend in a narrow card."""
    words = {"native_text": _("Text"), "native_card": _("Card"), "yuexin_resolved": _("Yuexin")}
    return words.get(mode) or mode_word(mode) or _("Other")


def _label(step: date, wanted: str) -> str:
    # The axis has no room for a year; the title of a bar shows it.
    return date_format(step, "SHORT_YEAR_MONTH_FORMAT" if wanted == "12m" else "MONTH_DAY_FORMAT")


def _title(step: date, wanted: str) -> str:
    return dates.month(step) if wanted == "12m" else dates.weekday(step)
