"""Opt-outs: the list, adding numbers, and removing one."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from billing.campaigns.reach import reach
from billing.models import OptOut
from billing.selectors.campaigns import PAGE_ROWS, opt_out_get, opt_outs_of
from billing.selectors.people import names_of
from billing.selectors.wallets import wallet_get
from billing.services import opt_outs as services
from billing.views.campaigns_common import may_send
from billing.views.messages_words import place_of, range_words
from poolsite import access
from poolsite.console.form_pages import form_page, saved
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.console.tables import key_of
from poolsite.console.templatetags.console import figure
from poolsite.console.verbs import carry_out
from poolsite.csv_text import csv_file
from poolsite.paging import older_page


class OptOutForm(forms.Form):
    """Numbers, one per line, and a reason."""

    numbers = forms.CharField(
        label=gettext_lazy("Numbers"),
        max_length=40_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=gettext_lazy("One number per line."),
    )
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=200, required=False)


@require_http_methods(["GET", "POST"])
def opt_outs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the account's opt-outs; a POST adds numbers."""
    principal = principal_of(request)
    action = "billing.send" if request.method == "POST" else "billing.view"
    wallet = wallet_get(principal, slug, action)
    form = OptOutForm(request.POST or None)

    def add(numbers: str, reason: str) -> int:
        texts = numbers.splitlines()
        return services.opt_outs_add(actor=principal, wallet=wallet, texts=texts, reason=reason)

    def done(added: int) -> HttpResponse:
        words = ngettext("%(n)s number added.", "%(n)s numbers added.", added)
        messages.success(request, words % {"n": figure(added)})
        return redirect("billing:opt_outs", slug)

    if answer := saved(form, add, done):
        return answer
    rows, wanted = opt_outs_of(wallet), request.GET.get("q", "")[:40].strip()
    total = rows.count()
    if wanted:
        rows = rows.filter(number__startswith=reach(wanted).number or wanted)
    matching = rows.count() if wanted else total
    before = key_of(request, "before")
    found, following = older_page(rows, before, PAGE_ROWS)
    first = place_of(request)
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "form": form,
        "rows": _dressed(found),
        "total": total,
        "wanted": wanted,
        "may": may_send(principal, wallet),
        "shown": range_words(first, len(found), matching),
        "next_url": address({"q": wanted}, before=following, at=first + len(found))
        if following
        else "",
        "back_url": address({"q": wanted}) if before else "",
    }
    return form_page(request, "billing/campaigns/opt_outs.html", context)


def _dressed(rows: list[OptOut]) -> list[OptOut]:
    """Add to each row the name of the person who added it."""
    names = names_of(row.added_by for row in rows)
    for row in rows:
        row.by = names[row.added_by]
    return rows


@require_POST
def opt_out_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let the account reach a number again."""
    principal = principal_of(request)
    found = opt_out_get(principal, pk)
    if found.account.slug != slug:
        raise access.Hidden("billing.send")
    reason = request.POST.get("reason", "")
    carry_out(
        request,
        lambda: services.opt_out_remove(actor=principal, opt_out=found, reason=reason),
        _("%s removed from the opt-outs.") % found.number,
    )
    return redirect("billing:opt_outs", slug)


@require_GET
def opt_outs_export(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Return every opt-out as CSV."""
    wallet = wallet_get(principal_of(request), slug)
    head = ("number", _("reason"), _("added by"), _("added at"))
    rows = (
        (row.number, row.reason, row.added_by, row.created_at.isoformat())
        for row in opt_outs_of(wallet).iterator()
    )
    return csv_file(f"{slug}-opt-outs.csv", head, rows)
