"""The context of every page: the platform's name, the sidebar and the reader's role."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access import ANONYMOUS, Principal, actions
from poolsite.access.models import Account, User
from poolsite.console import navigation
from poolsite.live.scopes import address_for, in_language


def context(request: HttpRequest) -> dict[str, Any]:
    """Return the context of a page. Lazy values are computed only if a template uses them."""
    return {
        "platform_name": settings.PLATFORM_NAME,
        "sign_on_name": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
        "sign_on_only": settings.OIDC_ONLY,
        "navigation": SimpleLazyObject(lambda: navigation_of(request)),
        "search_hint": SimpleLazyObject(lambda: _search_hint(request)),
        "reader_role": SimpleLazyObject(lambda: _role_word(request)),
        "incidents_topic": SimpleLazyObject(lambda: topic_of(request, "operations.incidents")),
        "overview_topic": SimpleLazyObject(lambda: topic_of(request, "operations.overview")),
    }


def principal_of(request: HttpRequest) -> Principal:
    """Return the reader, which access' middleware has set."""
    principal: Principal = getattr(request, "principal", ANONYMOUS)
    return principal


def user_of(request: HttpRequest) -> User:
    """Return the logged-in user, for data stored per user. Raise Forbidden for a machine."""
    user = request.user
    if not isinstance(user, User):
        raise access.Forbidden
    return user


def topic_of(request: HttpRequest, name: str) -> str:
    """Return the address of a topic per account and language, or "" if the reader has none."""
    principal = principal_of(request)
    if name not in actions.actions() or not actions.decide(principal, name).allowed:
        return ""
    return in_language(address_for(principal, name))


def navigation_of(request: HttpRequest, *, page: str | None = None) -> list[navigation.MenuSection]:
    """Return the reader's sidebar. `page`: the URL name of the selected entry, by default this
    page.
    """
    principal = principal_of(request)
    match = request.resolver_match
    if page is None:
        page = match.view_name if match else ""
    return navigation.sections(
        principal,
        page,
        navigation.counter_for(principal),
        kept_open=request.COOKIES.get(navigation.COOKIE, "").split("."),
    )


def _search_hint(request: HttpRequest) -> str:
    """Return what this reader can search for, by the parts of the platform that they see."""
    principal = principal_of(request)
    seen = {section for section, _item in navigation.items(principal)}
    if principal.is_operator or {"numbers", "messages"} <= seen:
        return _("Number, call ID, account, person, page or action")
    if "numbers" in seen:
        return _("Number, call ID, pool, page or action")
    if "messages" in seen:
        return _("Message, campaign, top-up, page or action")
    if "queueing" in seen:
        return _("Desk, conversation, page or action")
    return _("Page or action")


def _role_word(request: HttpRequest) -> str:
    principal = principal_of(request)
    if principal.is_operator:
        return _("Operator")
    accounts = Account.objects.filter(pk__in=principal.account_ids)
    return str(accounts.first() or _("No role"))
