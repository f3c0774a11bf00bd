"""What the overview, the incidents page and the system page read, limited by tenant."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import structlog
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access import Principal
from poolsite.access.actions import action_of
from poolsite.access.models import Membership, User
from poolsite.console import Card, CardData, Stat, StatEntry
from poolsite.console.navigation import Counter
from poolsite.console.registry import CARDS, STATS
from poolsite.operations import attention
from poolsite.operations.models import Incident

LOG = structlog.get_logger(__name__)
MOST_STATS = 6


def open_incidents(principal: Principal) -> QuerySet[Incident]:
    """Return the open incidents that the principal may see, worst first, then oldest."""
    return _visible(principal).filter(until=None).order_by("severity", "since")


def causes(principal: Principal) -> list[attention.Cause]:
    """Return the causes that the principal may see, critical first, then oldest.

    For operators they include the platform's current health.
    """
    if principal.is_operator:
        return attention.causes(None)
    return attention.by_cause(open_incidents(principal)[: attention.MOST_ROWS])


def attention_of(principal: Principal) -> attention.Attention:
    """Return the causes that the principal may see, split into active and snoozed ones."""
    return attention.sorted_out(causes(principal), account=not principal.is_operator)


def like(principal: Principal, found: Incident) -> list[Incident]:
    """Return the open incidents of the same cause that the principal may see.

    For an incident that has ended, return only that incident.
    """
    if found.until is not None:
        return [found]
    return list(open_incidents(principal).filter(type=found.type)[: attention.MOST_ROWS]) or [found]


def possible_owners(principal: Principal, group: Iterable[Incident]) -> QuerySet[User]:
    """Return the users to whom a cause's incidents can be assigned: all who may see them, by name.

    Users of an account are offered the account's users, not the platform's.
    """
    accounts = {each.account_id for each in group}
    suiting = Q(is_operator=True) if principal.is_operator else Q(pk__in=())
    if len(accounts) == 1:
        roles = action_of("operations.incidents").roles
        members = Membership.objects.filter(account__in=accounts, role__in=roles)
        suiting |= Q(pk__in=members.values("user"))
    people = User.objects.filter(suiting, is_active=True)
    return people.order_by("first_name", "last_name", "username")


def possible_owner(principal: Principal, group: Iterable[Incident], user: int) -> User:
    """Return the possible owner with this ID. Raise ValidationError if the user isn't one."""
    owner = possible_owners(principal, group).filter(pk=user).first()
    if owner is None:
        raise ValidationError(_("Choose a person."))
    return owner


def incidents(
    principal: Principal, *, state: str = "", severity: str = "", text: str = "", days: str = ""
) -> QuerySet[Incident]:
    """Return the incidents that the principal may see: ended ones unless `state` is set.

    state: `open` or `all`. text: the beginning of the incidents' object. days: only incidents that
    were open in the last `days` days.
    """
    rows = _visible(principal)
    if days:
        since = timezone.now() - timedelta(days=int(days))
        rows = rows.filter(Q(until=None) | Q(until__gte=since))
    if state != "all":
        rows = rows.filter(until__isnull=state == "open")
    if severity:
        rows = rows.filter(severity=severity)
    return rows.filter(object__istartswith=text) if text else rows


def incident(principal: Principal, incident_id: int) -> Incident:
    """Return an incident. Raise access.Hidden if it is missing, or access.require's refusal."""
    found = Incident.objects.filter(pk=incident_id).first()
    if found is None:
        raise access.Hidden
    access.require(principal, "operations.incidents", found)
    return found


def cared_for(principal: Principal, found: Incident) -> list[Incident]:
    """Return the open incidents of the same cause that the principal may change, including `found`.

    Raise the refusal of access.require if the principal may not change `found`.
    """
    action = "operations.acknowledge"
    access.require(principal, action, found)
    group = like(principal, found)
    return [each for each in group if access.decide(principal, action, each).allowed]


def _visible(principal: Principal) -> QuerySet[Incident]:
    if principal.is_operator:
        return Incident.objects.all()
    managed = [
        account for account, roles in principal.memberships.items() if roles & {"owner", "admin"}
    ]
    return Incident.objects.filter(account_id__in=managed)


def badge_counter(principal: Principal) -> Counter:
    """Return a function that counts a sidebar entry's open incidents, with the worst severity.

    A cause is not counted if all its incidents are snoozed.
    """
    rows = open_incidents(principal)
    awake = rows.exclude(snoozed_until__gt=timezone.now()).values("type")
    open_ones = list(rows.filter(type__in=awake).values_list("type", "severity"))

    def count(prefixes: Iterable[str]) -> tuple[int, str]:
        hits = [severity for kind, severity in open_ones if kind.startswith(tuple(prefixes))]
        worst = Incident.Severity.CRITICAL if Incident.Severity.CRITICAL in hits else "warning"
        return len(hits), str(worst) if hits else ""

    return count


# -- the overview -----------------------------------------------------------------------------


def cards(principal: Principal) -> list[tuple[Card, CardData]]:
    """Return all cards with content for this user. A card that fails is logged and left out."""
    found = []
    for card in sorted(CARDS.values(), key=lambda card: (card.order, card.name)):
        data = loaded(card.name, card.load, principal)
        if data is not None:
            found.append((card, data))
    return found


def stats(principal: Principal) -> list[tuple[StatEntry, Stat]]:
    """Return the headline figures, at most six."""
    found = []
    for entry in sorted(STATS.values(), key=lambda entry: (entry.order, entry.name)):
        stat = loaded(entry.name, entry.load, principal)
        if stat is not None:
            found.append((entry, stat))
    return found[:MOST_STATS]


def loaded(name: str, load: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of `load`, or None if it fails, so that the rest still shows."""
    try:
        return load(*arguments)
    except Exception as error:
        LOG.warning("overview.part_failed", part=name, error=str(error))
        return None
