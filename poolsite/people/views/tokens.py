"""The list of API tokens, and revoking one."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from poolsite.access import decide, principal_of_request, require, selectors, services
from poolsite.access.models import ApiToken
from poolsite.console import tables
from poolsite.console.tables import SqlColumn
from poolsite.moments import iso
from poolsite.people import token_words
from poolsite.people.views.common import asks


@never_cache
@require_GET
@asks("access.tokens_view")
def tokens(request: HttpRequest) -> HttpResponseBase:
    """List the tokens that the reader may see, newest first; by default only valid ones."""
    principal = principal_of_request(request)
    options = [
        ("live", _("Valid tokens")),
        ("expired", _("Expired tokens")),
        ("revoked", _("Revoked tokens")),
        ("all", _("All tokens")),
    ]
    state = tables.choice_of(request, "state", _("State"), options)
    text = tables.text_of(request, "q")
    may_add = decide(principal, "access.tokens_change").allowed
    return tables.answer(
        request,
        "access/tokens.html",
        selectors.tokens(principal, text=text, state=state.value),
        _columns(),
        given={"q": text, "state": "" if state.value == "live" else state.value},
        file="tokens",
        dress=_dressed,
        counted=lambda n: ngettext("%(n)s token", "%(n)s tokens", n) % {"n": n},
        context={
            "may_add": may_add,
            "choices": [state],
            "text": text,
            "known": selectors.tokens(principal).exists(),
        },
    )


def _dressed(rows: list[ApiToken]) -> list[tuple[ApiToken, dict[str, Any]]]:
    return [(each, token_words.row(each) | {"soon": each.ends_soon}) for each in rows]


def _columns() -> list[SqlColumn[ApiToken]]:
    return [
        SqlColumn("name", _("Name"), lambda token: token.name, order=("name",)),
        SqlColumn("switch", "", lambda token: token.switch),
        SqlColumn("prefix", "", lambda token: token.prefix),
        SqlColumn(
            "account",
            _("Account"),
            lambda token: token.account.slug if token.account is not None else None,
            order=("account__name",),
            nullable=True,
        ),
        SqlColumn("actions", _("Permissions"), lambda token: " ".join(token.actions)),
        SqlColumn("resources", "", lambda token: " ".join(token.resources)),
        SqlColumn("networks", _("Networks"), lambda token: " ".join(token.networks)),
        SqlColumn("created", "", lambda token: iso(token.created_at)),
        SqlColumn(
            "used",
            _("Last used"),
            lambda token: iso(token.last_used_at),
            order=("last_used_at",),
            nullable=True,
        ),
        SqlColumn("ends", _("Expires"), lambda token: iso(token.expires_at), order=("expires_at",)),
        SqlColumn("revoked", "", lambda token: iso(token.revoked_at)),
    ]


@never_cache
@require_POST
@asks("access.tokens_change")
def token_revoke(request: HttpRequest, token_id: int) -> HttpResponseBase:
    """Revoke a token, everywhere, at once."""
    token = get_object_or_404(ApiToken, pk=token_id)
    require(principal_of_request(request), "access.tokens_change", token)
    reason = request.POST.get("reason", "")[:200]
    services.token_revoke(token=token, actor=principal_of_request(request), reason=reason)
    messages.success(request, _("Token revoked. Requests with it are now refused."))
    return redirect("access:tokens")
