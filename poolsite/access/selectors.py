"""What the pages about people read; tenant-safe."""

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from django.db.models import Model, Prefetch, QuerySet

from poolsite.access.models import Account, ApiToken, AuditEntry, Invitation, Membership, User
from poolsite.access.principal import Principal
from poolsite.access.visibility import visible

PAGE_ROWS = 50
M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[M]):
    """Rows newest first, and the keys of the pages around; None = there is none."""

    rows: list[M]
    older_than: int | None
    newer_than: int | None


def page_of(queryset: QuerySet[M], older_than: int | None, newer_than: int | None) -> Page[M]:
    """One page by primary key; costs the same on page one and page ten thousand."""
    if newer_than is not None:
        found = list(queryset.filter(pk__gt=newer_than).order_by("pk")[: PAGE_ROWS + 1])
        more_newer, rows = len(found) > PAGE_ROWS, found[:PAGE_ROWS][::-1]
        return Page(rows, rows[-1].pk if rows else None, rows[0].pk if more_newer else None)
    if older_than is not None:
        queryset = queryset.filter(pk__lt=older_than)
    found = list(queryset.order_by("-pk")[: PAGE_ROWS + 1])
    rows = found[:PAGE_ROWS]
    more_older = len(found) > PAGE_ROWS
    newer = rows[0].pk if rows and older_than is not None else None
    return Page(rows, rows[-1].pk if more_older else None, newer)


def history(
    principal: Principal,
    *,
    thing_kind: str = "",
    thing_id: str = "",
    actor: str = "",
    action: str = "",
    account: str = "",
    job: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[AuditEntry]:
    """The audit log as this principal may see it: a tenant's own, or everything; newest first."""
    rows = visible(AuditEntry.objects.select_related("account"), principal, "access.history_view")
    exact = {
        "thing_kind": thing_kind,
        "thing_id": thing_id,
        "actor_name": actor,
        "account__slug": account,
        "job": job,
    }
    rows = rows.filter(**{name: value for name, value in exact.items() if value})
    if action:
        rows = rows.filter(action__startswith=action)
    if since is not None:
        rows = rows.filter(at__gte=since)
    if until is not None:
        rows = rows.filter(at__lt=until)
    return rows.order_by("-pk")


def accounts(principal: Principal) -> QuerySet[Account]:
    """The accounts whose people this principal may see."""
    return visible(Account.objects.all(), principal, "access.people_view", account_field="pk")


def members(account: Account) -> QuerySet[User]:
    """The users with a role in the account, by name; `.roles_here` lists the memberships."""
    own = Membership.objects.filter(account=account).order_by("role")
    return (
        User.objects.filter(memberships__account=account)
        .select_related("totp")
        .prefetch_related(Prefetch("memberships", own, to_attr="roles_here"), "grants")
        .order_by("username")
        .distinct()
    )


def operators() -> QuerySet[User]:
    """The platform's staff, by name."""
    staff = User.objects.filter(is_operator=True)
    return staff.select_related("totp").prefetch_related("grants").order_by("username")


def open_invitations(account: Account | None) -> list[Invitation]:
    """The invitations to an account (None = the platform) that still wait, newest first."""
    rows = Invitation.objects.filter(
        account=account, accepted_at__isnull=True, withdrawn_at__isnull=True
    )
    return [row for row in rows.select_related("invited_by")[:200] if row.is_open]


def tokens(principal: Principal) -> QuerySet[ApiToken]:
    """The API tokens that this principal may see, newest first."""
    rows = ApiToken.objects.select_related("account", "created_by")
    return visible(rows, principal, "access.tokens_view").order_by("-pk")
