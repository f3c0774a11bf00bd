"""An account's tariff versions: what is valid, what comes, what was."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from billing.forms import EndTariffForm, TariffForm, shortest
from billing.models import Tariff, Wallet
from billing.presentation import exact, mode_word
from billing.pricing.modes import MODES
from billing.selectors.tariffs import tariff_list
from billing.selectors.wallets import wallet_get
from billing.services import tariffs as services
from billing.services.days import zone_of
from billing.views.common import number_of
from poolsite import access
from poolsite.access import Decision, Principal
from poolsite.access.views.common import add_errors
from poolsite.operations.pages import principal_of

PAGE_ROWS = 50


@require_GET
def tariffs(request: HttpRequest, slug: str) -> HttpResponse:
    """Every version, the newest first."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    now = timezone.now()
    rows = list(tariff_list(principal, wallet)[:PAGE_ROWS])
    context = {
        "wallet": wallet,
        "zone": wallet.account.zone,
        "rows": [(tariff, _state(tariff, now), _lines(tariff)) for tariff in rows],
        "may_change": may_change(principal, wallet),
        "has_valid": any(_state(tariff, now)[0] == "valid" for tariff in rows),
    }
    return render(request, "billing/tariffs/tariffs.html", context)


def may_change(principal: Principal, wallet: Wallet) -> bool:
    """Whether the reader may write tariffs, once a second factor is proved where asked for."""
    answer = access.decide(principal, "billing.finance", wallet)
    return answer in (Decision.ALLOW, Decision.FACTOR)


def _state(tariff: Tariff, now: Any) -> tuple[str, str, str]:
    """Key, word and chip's class."""
    if tariff.valid_from > now:
        return "to come", _("to come"), "chip--info"
    if tariff.valid_until is not None and tariff.valid_until <= now:
        return "over", _("over"), ""
    return "valid", _("valid"), "chip--ok"


def _lines(tariff: Tariff) -> list[tuple[str, str, str]]:
    """Mode, unit price, how it is counted."""
    return [
        (mode_word(mode), exact(price["unit_price"]), _counted(mode, price))
        for mode in MODES
        if (price := tariff.prices.get(mode)) is not None
    ]


def _counted(mode: str, price: dict[str, int]) -> str:
    if "characters_per_unit" in price:
        return _("per %s characters") % price["characters_per_unit"]
    if "kilobytes_per_unit" in price:
        return _("per %s kB") % price["kilobytes_per_unit"]
    if mode == "yuexin_unresolved":
        return _("per SMS segment")
    return _("per started interval") if mode == "call" else _("per message")


@require_http_methods(["GET", "POST"])
def tariff_new(request: HttpRequest, slug: str) -> HttpResponse:
    """A new version; `?from=` copies the prices of another one of the account."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    form = TariffForm(request.POST or None, initial=_initial(wallet, request.GET.get("from", "")))
    if request.method == "POST" and form.is_valid():
        try:
            services.tariff_create(
                actor=principal, account=wallet.account, prices=form.prices(), **_dates(form)
            )
        except ValidationError as error:
            add_errors(form, error)
        else:
            messages.success(request, _("Tariff version created."))
            return redirect("billing:tariffs", slug=slug)
    return _form_page(request, wallet, form, None)


@require_http_methods(["GET", "POST"])
def tariff_change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A version that has not begun; one that has is only ended."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    tariff = _tariff(wallet, pk)
    if services.is_in_use(tariff):
        return redirect("billing:tariff_end", slug=slug, pk=pk)
    form = TariffForm(request.POST or None, initial=_initial(wallet, str(pk), dated=True))
    if request.method == "POST" and form.is_valid():
        dates = {name: value for name, value in _dates(form).items() if name != "replace"}
        try:
            services.tariff_change(actor=principal, tariff=tariff, prices=form.prices(), **dates)
        except ValidationError as error:
            add_errors(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("billing:tariffs", slug=slug)
    return _form_page(request, wallet, form, tariff)


def _form_page(
    request: HttpRequest, wallet: Wallet, form: TariffForm, tariff: Tariff | None
) -> HttpResponse:
    context = {"wallet": wallet, "form": form, "tariff": tariff, "zone": wallet.account.zone}
    status = 422 if form.errors else 200
    return render(request, "billing/tariffs/tariff_form.html", context, status=status)


def _dates(form: TariffForm) -> dict[str, Any]:
    names = ("name", "valid_from", "valid_until", "replace")
    return {name: form.cleaned_data[name] for name in names}


def _initial(wallet: Wallet, key: str, *, dated: bool = False) -> dict[str, Any]:
    tariff = Tariff.objects.filter(account=wallet.account_id, pk=number_of(key) or 0).first()
    today = timezone.now().astimezone(zone_of(wallet.account)).date()
    if tariff is None:
        return {"valid_from": today}
    found: dict[str, Any] = {"name": tariff.name, "valid_from": today}
    if dated:
        found["valid_from"] = tariff.valid_from.astimezone(zone_of(wallet.account)).date()
        if tariff.valid_until is not None:
            found["valid_until"] = tariff.valid_until.astimezone(zone_of(wallet.account)).date()
    for mode, price in tariff.prices.items():
        found[f"{mode}-price"] = shortest(price["unit_price"])
        for rule in ("characters_per_unit", "kilobytes_per_unit"):
            if rule in price:
                found[f"{mode}-rule"], found[f"{mode}-size"] = rule, price[rule]
    return found


@require_http_methods(["GET", "POST"])
def tariff_end(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """When a version ends; holds made by it keep their prices."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    tariff = _tariff(wallet, pk)
    form = EndTariffForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.tariff_end(actor=principal, tariff=tariff, **form.cleaned_data)
        except ValidationError as error:
            add_errors(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("billing:tariffs", slug=slug)
    context = {"wallet": wallet, "form": form, "tariff": tariff, "zone": wallet.account.zone}
    status = 422 if form.errors else 200
    return render(request, "billing/tariffs/tariff_end.html", context, status=status)


@require_POST
def tariff_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a version that has not begun."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.finance")
    try:
        services.tariff_delete(actor=principal, tariff=_tariff(wallet, pk))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, _("Tariff version removed."))
    return redirect("billing:tariffs", slug=slug)


def _tariff(wallet: Wallet, pk: int) -> Tariff:
    found = Tariff.objects.filter(account=wallet.account_id, pk=pk).first()
    if found is None:
        raise access.Hidden("billing.finance")
    return found
