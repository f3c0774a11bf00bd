"""The money audit: green, or the first difference of each account whose books do not agree."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from billing.models import AuditRun, Wallet
from billing.selectors.losses import recent_losses
from billing.services.auditing import audit_some
from poolsite import access, live
from poolsite.console.pages import principal_of
from poolsite.console.verbs import answers_json

RUN_SECONDS = 10.0
LATEST = 20
TOPIC = "billing.books:all"


@require_GET
def audit_page(request: HttpRequest) -> HttpResponse:
    """Show green, or the accounts whose books do not agree and where they begin to differ."""
    principal = principal_of(request)
    access.require(principal, "billing.books")
    runs = list(AuditRun.objects.order_by("-pk")[:LATEST])
    current = runs[0] if runs and runs[0].ended_at is None else None
    last = next((run for run in runs if run.ended_at is not None), None)
    wallets = Wallet.objects.count()
    context = {
        "runs": runs,
        "current": current,
        "last": last,
        "verdict": _verdict(current, last),
        "differences": _differences(current, last),
        "wallets": wallets,
        "share": current.wallets / wallets if current and wallets else None,
        "equations": _equations(),
        "unexplained": Wallet.objects.exclude(unexplained=0).select_related("account")[:LATEST],
        "losses": list(recent_losses()),
        "every_seconds": settings.BILLING_AUDIT_SECONDS,
        "topic": TOPIC,
    }
    return render(request, "billing/audit.html", context)


def _equations() -> list[tuple[str, str]]:
    """Return what is compared, in plain words and as the audit computes it."""
    return [
        (
            _("The live balance matches the books"),
            _(
                "Available balance in SQL + entries waiting to be written"
                " = available balance in Redis"
            ),
        ),
        (
            _("Every change of the balance is in the journal"),
            _("Opening balance + journal entries = available balance, held and owed in SQL"),
        ),
        (
            _("Held money belongs to messages under way"),
            _("Sum of open holds = amount held"),
        ),
        (
            _("Nothing is below zero"),
            _("Available balance and amount held in Redis ≥ 0"),
        ),
    ]


def _verdict(current: AuditRun | None, last: AuditRun | None) -> str:
    """Return red as soon as the running audit finds a difference, else the result of the last."""
    if current is not None and current.different:
        return "red"
    if last is None:
        return "none"
    return "red" if last.different else "green"


def _differences(current: AuditRun | None, last: AuditRun | None) -> list[dict[str, Any]]:
    run = current if current is not None and current.different else last
    if run is None:
        return []
    return [{"slug": slug, "text": text} for slug, text in run.differences.items()]


@require_POST
@answers_json
def audit_run(request: HttpRequest) -> HttpResponse:
    """Start an audit run, or continue the current one, for a few seconds.

    The background does the rest.
    """
    access.require(principal_of(request), "billing.books")
    done = audit_some(RUN_SECONDS, 0.0)
    live.touch(TOPIC)
    run = AuditRun.objects.order_by("-pk").first()
    if run is None or done.get("failed"):
        title, detail = _("Redis isn't responding"), _("The audit continues when Redis is back.")
        return JsonResponse({"title": title, "detail": detail, "kind": "bad"})
    words = {"n": f"{run.wallets:,}"}
    if run.different:
        title = ngettext("%(d)s account differs", "%(d)s accounts differ", run.different)
        return JsonResponse(
            {
                "title": title % {"d": run.different},
                "detail": _("%(n)s accounts checked so far.") % words,
                "kind": "bad",
            }
        )
    if run.ended_at is None:
        title = _("No difference so far")
        detail = _("%(n)s accounts verified. The rest are checked in the background.") % words
        return JsonResponse({"title": title, "detail": detail})
    title = _("The books agree")
    detail = ngettext("%(n)s account verified.", "%(n)s accounts verified.", run.wallets) % words
    return JsonResponse({"title": title, "detail": detail})
