"""What every page gets: the platform's name, the sidebar and the reader's role."""

from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from poolsite.access import actions
from poolsite.access.models import Account
from poolsite.access.principal import ANONYMOUS, Principal
from poolsite.operations import navigation
from poolsite.operations.models import Incident


def context(request: HttpRequest) -> dict[str, Any]:
    """Context processor; computed only where a template asks."""
    return {
        "platform_name": settings.PLATFORM_NAME,
        "navigation": SimpleLazyObject(lambda: _navigation(request)),
        "reader_role": SimpleLazyObject(lambda: _role_word(request)),
    }


def principal_of(request: HttpRequest) -> Principal:
    """The reader; set by access' middleware."""
    principal: Principal = getattr(request, "principal", ANONYMOUS)
    return principal


def incidents_of(principal: Principal) -> QuerySet[Incident]:
    """Open incidents that this principal may see, worst first, then oldest."""
    rows = Incident.objects.filter(until=None)
    if not principal.is_operator:
        rows = rows.filter(account__in=list(principal.memberships))
    return rows.order_by("severity", "since")  # "critical" sorts before "warning"


def _navigation(request: HttpRequest) -> list[navigation.Section]:
    principal = principal_of(request)
    match = request.resolver_match

    def may(action: str) -> bool:
        return action in actions.actions() and actions.decide(principal, action).allowed

    return navigation.sections(may, match.view_name if match else "", _counter(principal))


def _counter(principal: Principal) -> Callable[[navigation.Entry, Iterable[str]], tuple[int, str]]:
    open_ones = list(incidents_of(principal).values_list("type", "severity"))

    def count(_entry: navigation.Entry, prefixes: Iterable[str]) -> tuple[int, str]:
        hits = [severity for kind, severity in open_ones if kind.startswith(tuple(prefixes))]
        worst = Incident.Severity.CRITICAL if Incident.Severity.CRITICAL in hits else "warning"
        return len(hits), str(worst) if hits else ""

    return count


def _role_word(request: HttpRequest) -> str:
    principal = principal_of(request)
    if principal.is_operator:
        return _("Operator")
    accounts = Account.objects.filter(pk__in=principal.account_ids)
    return str(accounts.first() or _("No role"))
