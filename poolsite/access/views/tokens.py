"""API tokens: made, shown once, revoked."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite.access import selectors, services
from poolsite.access.actions import decide, require
from poolsite.access.forms import TokenForm
from poolsite.access.models import Account, ApiToken
from poolsite.access.principal import Principal
from poolsite.access.views.common import actor_of, add_errors, asks, asks_again
from poolsite.access.visibility import visible
from poolsite.operations import tables
from poolsite.operations.tables import SqlColumn, moment


@never_cache
@require_GET
@asks("access.tokens_view")
def tokens(request: HttpRequest) -> HttpResponseBase:
    """The tokens that the reader may see, newest first."""
    principal = actor_of(request)
    options = [
        ("", _("All tokens")),
        ("live", _("In use")),
        ("expired", _("Expired")),
        ("revoked", _("Revoked")),
    ]
    state = tables.choice_of(request, "state", _("State"), options)
    text = tables.text_of(request, "q")
    may_add = decide(principal, "access.tokens_change").allowed
    return tables.answer(
        request,
        "access/tokens.html",
        selectors.tokens(principal, text=text, state=state.value),
        _columns(),
        given={"q": text, "state": state.value},
        file="tokens",
        context={"may_add": may_add, "choices": [state], "text": text},
    )


def _columns() -> list[SqlColumn[ApiToken]]:
    return [
        SqlColumn("name", _("Name"), lambda token: token.name, order=("name",)),
        SqlColumn("switch", "", lambda token: token.switch),
        SqlColumn("prefix", _("Begins with"), lambda token: token.prefix, order=("prefix",)),
        SqlColumn(
            "account",
            _("Account"),
            lambda token: token.account.slug if token.account is not None else None,
            order=("account__name",),
            nullable=True,
        ),
        SqlColumn("resources", _("Resources"), lambda token: " ".join(token.resources)),
        SqlColumn("actions", "", lambda token: " ".join(token.actions)),
        SqlColumn("created", "", lambda token: moment(token.created_at)),
        SqlColumn(
            "used",
            _("Last used"),
            lambda token: moment(token.last_used_at),
            order=("last_used_at",),
            nullable=True,
        ),
        SqlColumn(
            "ends", _("Expires"), lambda token: moment(token.expires_at), order=("expires_at",)
        ),
        SqlColumn("revoked", "", lambda token: moment(token.revoked_at)),
    ]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.tokens_change")
@asks_again
def token_add(request: HttpRequest) -> HttpResponseBase:
    """A new token; its secret is on this one page and nowhere else."""
    principal = actor_of(request)
    platform = "operate" in principal.grants
    own = visible(Account.objects.all(), principal, "access.tokens_change", account_field="pk")
    form = TokenForm(own, request.POST or None, platform=platform)
    if request.method == "POST" and form.is_valid():
        try:
            token, secret = _create(form, principal)
        except ValidationError as error:
            add_errors(form, error)
        else:
            return render(request, "access/token_shown.html", {"token": token, "secret": secret})
    return render(request, "access/token_add.html", {"form": form})


def _create(form: TokenForm, principal: Principal) -> tuple[ApiToken, str]:
    data: dict[str, Any] = form.cleaned_data
    if data["account"] is not None:
        require(principal, "access.tokens_change", data["account"])
    return services.token_create(
        name=data["name"],
        account=data["account"],
        resources=data["resources"],
        actions=data["actions"],
        events=data["events"],
        switch=data["switch"],
        expires_at=form.ends_at,
        actor=principal,
    )


@never_cache
@require_POST
@asks("access.tokens_change")
def token_revoke(request: HttpRequest, token_id: int) -> HttpResponseBase:
    """End a token, everywhere, now."""
    token = get_object_or_404(ApiToken, pk=token_id)
    require(actor_of(request), "access.tokens_change", token)
    reason = request.POST.get("reason", "")[:200]
    services.token_revoke(token=token, actor=actor_of(request), reason=reason)
    messages.success(request, _("Token revoked. Requests with it are now refused."))
    return redirect("access:tokens")
