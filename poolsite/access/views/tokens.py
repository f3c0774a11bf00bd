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
from poolsite.access.views.common import actor_of, add_errors, asks, page_key
from poolsite.access.visibility import visible


@never_cache
@require_GET
@asks("access.tokens_view")
def tokens(request: HttpRequest) -> HttpResponseBase:
    """The tokens that the reader may see, newest first."""
    principal = actor_of(request)
    page = selectors.page_of(
        selectors.tokens(principal), page_key(request, "older"), page_key(request, "newer")
    )
    may_add = decide(principal, "access.tokens_change").allowed
    return render(request, "access/tokens.html", {"page": page, "may_add": may_add})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.tokens_change")
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
    messages.success(request, _("The token is revoked. It is refused from now on."))
    return redirect("access:tokens")
