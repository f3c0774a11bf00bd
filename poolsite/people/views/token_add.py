"""A new API token: its form, the summary next to it, and the secret, shown once."""

from typing import Any

from django.contrib import messages
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from poolsite.access import Principal, client_address, principal_of_request, services, visible
from poolsite.access.confirming import asks_again
from poolsite.access.giving import may_make_platform_tokens
from poolsite.access.mails import site_of
from poolsite.access.models import Account, ApiToken
from poolsite.access.networks import allows
from poolsite.access.token_areas import purposes
from poolsite.console.form_pages import add_errors
from poolsite.console.verbs import next_of
from poolsite.people import token_words
from poolsite.people.token_forms import CUSTOM, TokenForm, with_purpose
from poolsite.people.views.common import asks

ONCE_SECONDS = 24 * 3600  # for this long, a form that was sent is not accepted a second time
CHANGE = "access.tokens_change"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks(CHANGE)
@asks_again
def token_add(request: HttpRequest) -> HttpResponseBase:
    """Create a token; its secret is on this one page and nowhere else."""
    principal = principal_of_request(request)
    if request.method != "POST":
        purpose = request.GET.get("purpose", "")
        data = with_purpose(request.GET, purpose) if purpose else request.GET.copy()
        if thing := request.GET.get("thing"):
            data.appendlist("things", thing)
        return _page(request, _form(principal, data or None), tried=False)
    form = _form(principal, request.POST)
    if not form.is_valid():
        return _page(request, form, tried=True)
    once = request.POST.get("once", "")[:40]
    key = f"access.token-form.{principal.id}.{once}"
    if once and not cache.add(key, 1, ONCE_SECONDS):
        messages.info(request, _("This token was already created. Its secret is not shown again."))
        return redirect("access:tokens")
    try:
        token, secret = _create(form, principal)
    except ValidationError as error:
        cache.delete(key)
        add_errors(form, error)
        return _page(request, form, tried=True)
    return _shown(request, token, secret, form)


@never_cache
@require_POST
@asks(CHANGE)
def token_summary(request: HttpRequest) -> HttpResponseBase:
    """Render the parts of the form that depend on its choices. Changes nothing."""
    data: QueryDict = request.POST
    if "preset" in data:
        data = with_purpose(data, request.POST.get("preset", ""))
    form = _form(principal_of_request(request), data)
    return render(request, "access/token_parts.html", _parts(request, form))


def _form(principal: Principal, data: QueryDict | None) -> TokenForm:
    own = visible(Account.objects.all(), principal, CHANGE, account_field="pk")
    return TokenForm(own, data, platform=may_make_platform_tokens(principal))


def _page(request: HttpRequest, form: TokenForm, *, tried: bool) -> HttpResponse:
    """Render the form. Errors show once it was sent, the reason next to the button always."""
    chosen = form.data.get("purpose", "") if form.data else ""
    others = visible(
        ApiToken.objects.filter(revoked_at=None), principal_of_request(request), CHANGE
    )
    context = {
        "form": form,
        "tried": tried,
        "once": get_random_string(20),
        "next": next_of(request),
        "areas": form.areas(),
        "purposes": [(each, " ".join(each.actions)) for each in purposes()],
        "purpose": chosen,
        "custom": CUSTOM,
        "others": others.order_by("-pk")[:3],
        **_parts(request, form),
    }
    if not tried:
        form.errors.clear()  # the reason next to the button states what is missing
    return render(request, "access/token_add.html", context)


def _parts(request: HttpRequest, form: TokenForm) -> dict[str, Any]:
    ready = form.is_bound and form.is_valid()
    if not form.is_bound:
        form.cleaned_data = {}
    plan, address = form.plan(), client_address(request)
    return {
        "form": form,
        "reach": form.reach(),
        "reach_key": f"{plan.owner} {' '.join(plan.actions)} {'preset' in request.POST}",
        "sentence": token_words.sentence(plan),
        "may": token_words.may(plan.actions),
        "cannot": token_words.cannot(plan.actions) if plan.actions else [],
        "reason": "" if ready else _reason(form),
        "ends_at": form.ends_at,
        "address": address,
        "is_inside": allows(tuple(plan.networks), address),
        "networks": plan.networks,
    }


def _reason(form: TokenForm) -> str:
    """Return the first missing input, which the reader must enter next."""
    if not form.chosen_actions:
        return _("Choose at least one permission.")
    for name in ("things", *form.fields):
        if form.errors.get(name):
            return str(form.errors[name][0])
    return _("Enter a name.")


def _create(form: TokenForm, principal: Principal) -> tuple[ApiToken, str]:
    data: dict[str, Any] = form.cleaned_data
    return services.token_issue(
        name=data["name"],
        account=data["account"],
        resources=form.all_resources,
        actions=form.chosen_actions,
        events=data["events"],
        switch=data["switch"],
        networks=data["networks"],
        expires_at=form.ends_at,
        actor=principal,
    )


def _shown(request: HttpRequest, token: ApiToken, secret: str, form: TokenForm) -> HttpResponse:
    plan = form.plan()
    context = {
        "token": token,
        "secret": secret,
        "sentence": token_words.sentence(plan),
        "cannot": token_words.cannot(plan.actions),
        "example": token_words.example_of(plan, site_of(request)),
        "back": next_of(request, reverse("access:tokens")),
    }
    return render(request, "access/token_shown.html", context)
