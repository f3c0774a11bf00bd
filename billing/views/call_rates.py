"""The call rates of a tariff version: listed and exported, imported from a file after a review."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from billing.models import CallRate, Tariff, Wallet
from billing.pricing.rate_rows import HEAD, RateFile, file_of, read_rate_file, row_of
from billing.selectors.wallets import wallet_get
from billing.services import tariffs as services
from billing.services.call_rates import rate_in, rates_of
from billing.views.call_rates_review import Review, review_of
from billing.views.call_rates_rows import found_rates, shown_rates
from billing.views.tariffs import address_of, may_change, own_tariff
from billing.views.tariffs_edit import check_seen, mark_of, name_of_new
from billing.views.tariffs_forms import CallRatesForm
from poolsite.console import tables
from poolsite.console.form_pages import add_errors
from poolsite.console.pages import principal_of
from poolsite.console.tables import SqlColumn


@require_GET
def call_rates(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show a version's rates by number or destination; `?format=csv` returns the file to import."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    tariff = own_tariff(wallet, pk)
    text = tables.text_of(request, "q")
    return tables.answer(
        request,
        "billing/tariffs/call_rates.html",
        found_rates(tariff, text),
        _columns(),
        given={"q": text},
        file=f"call-rates-{wallet.slug}",
        default="prefix",
        dress=shown_rates,
        counted=lambda n: ngettext("%(n)s rate", "%(n)s rates", n) % {"n": n},
        context={
            "wallet": wallet,
            "tariff": tariff,
            "tariff_url": address_of(tariff),
            "text": text,
            "may_change": may_change(principal, wallet),
        },
    )


def _columns() -> list[SqlColumn[CallRate]]:
    labels: dict[str, tuple[str, tuple[str, ...], bool]] = {
        "prefix": (_("Prefix"), ("prefix",), False),
        "destination": (_("Destination"), ("destination",), False),
        "days": (_("Time"), (), False),
        "price_per_minute": (_("Per minute"), ("price",), True),
        "first_increment": (_("Increments"), (), False),
        "connection_fee": (_("Connection fee"), ("fee",), True),
    }
    none = ("", (), False)
    return [_column(place, name, *labels.get(name, none)) for place, name in enumerate(HEAD)]


def _column(
    place: int, name: str, label: str, order: tuple[str, ...], right: bool
) -> SqlColumn[CallRate]:
    def value(row: CallRate) -> str:
        return row_of(rate_in(row))[place]

    return SqlColumn(name, label, value, right=right, order=order)


@require_http_methods(["GET", "POST"])
def call_rates_import(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Import a file of rates: read it, show the changes, and apply it once confirmed.

    A version that is in use does not change: a new one with its prices and the file's rates begins.
    """
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    tariff = own_tariff(wallet, pk)
    is_new = services.is_in_use(tariff)
    initial = {"seen": mark_of(tariff), "name": name_of_new(wallet) if is_new else tariff.name}
    form = CallRatesForm(request.POST or None, request.FILES or None, initial=initial)
    found: RateFile | None = None
    review: Review | None = None
    if request.method == "POST" and form.is_valid():
        found = read_rate_file(form.text(), international=form.cleaned_data["international"])
        try:
            if not found.faults:
                check_seen(form.cleaned_data["seen"], tariff)
                given = _given(tariff, is_new, form, found)
                old = None if is_new else tariff
                if "confirm" in request.POST:
                    return _take(request, wallet, old, given)
                preview = services.tariff_preview(
                    actor=principal, account=wallet.account, tariff=old, **given
                )
                review = review_of(preview, rates_of(tariff), found.rates)
        except ValidationError as error:
            add_errors(form, error)
    context = {
        "wallet": wallet,
        "tariff": tariff,
        "tariff_url": address_of(tariff),
        "form": form,
        "is_new": is_new,
        "file": found,
        "review": review,
        "rates": file_of(found.rates) if review and found else "",
        "head": HEAD,
    }
    status = 422 if form.errors or (found and found.faults) else 200
    return render(request, "billing/tariffs/call_rates_import.html", context, status=status)


def _take(
    request: HttpRequest, wallet: Wallet, tariff: Tariff | None, given: dict[str, Any]
) -> HttpResponse:
    """Change the version, or create one (None), and redirect to it."""
    principal = principal_of(request)
    if tariff is None:
        made = services.tariff_create(actor=principal, account=wallet.account, **given)
    else:
        made = services.tariff_change(actor=principal, tariff=tariff, **given)
    count = len(given["call_rates"])
    text = ngettext(
        "%(n)s call rate imported into “%(name)s”.",
        "%(n)s call rates imported into “%(name)s”.",
        count,
    )
    messages.success(request, text % {"n": f"{count:,}", "name": made.name})
    return redirect(address_of(made))


def _given(tariff: Tariff, is_new: bool, form: CallRatesForm, found: RateFile) -> dict[str, Any]:
    """Return the values of the version: the file's rates, and the rest unchanged."""
    given: dict[str, Any] = {"prices": tariff.prices, "call_rates": found.rates}
    if not is_new:
        starts, ends = tariff.valid_from, tariff.valid_until
        return {**given, "name": tariff.name, "valid_from": starts, "valid_until": ends}
    starts = form.cleaned_data["valid_from"]
    ends = tariff.valid_until
    kept = ends if ends is not None and ends > timezone.now() else None
    name = form.cleaned_data["name"] or tariff.name
    return {**given, "name": name, "valid_from": starts, "valid_until": kept, "replace": True}
