"""Reads for the pages about people, limited to what the principal may see."""

from datetime import datetime

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Concat, NullIf, Trim
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.access.models import (
    Account,
    ApiToken,
    AuditEntry,
    FinanceRequest,
    Grant,
    GrantName,
    Invitation,
    Membership,
    User,
)
from poolsite.access.principal import Principal
from poolsite.access.visibility import visible


def history(
    principal: Principal,
    *,
    thing_kind: str = "",
    thing_id: str = "",
    actor: str = "",
    action: str = "",
    account: str = "",
    job: str = "",
    entry: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[AuditEntry]:
    """Return the audit log that this principal may see: an account's own, or all; newest first.

    action: one action, or all of an app with a full stop at the end ("billing.").
    """
    rows = visible(AuditEntry.objects.select_related("account"), principal, "access.history_view")
    exact = {
        "thing_kind": thing_kind,
        "thing_id": thing_id,
        "actor_name": actor,
        "account__slug": account,
        "job": job,
    }
    rows = rows.filter(**{name: value for name, value in exact.items() if value})
    if action.endswith("."):
        rows = rows.filter(action__gte=action, action__lt=f"{action[:-1]}/")  # "/" follows "."
    elif action:
        rows = rows.filter(action=action)
    if entry is not None:
        rows = rows.filter(pk=entry)
    if since is not None:
        rows = rows.filter(at__gte=since)
    if until is not None:
        rows = rows.filter(at__lt=until)
    return rows.order_by("-pk")


def accounts(principal: Principal, *, text: str = "") -> QuerySet[Account]:
    """Return the accounts whose people this principal may see, or those that begin with a text."""
    rows = visible(Account.objects.all(), principal, "access.people_view", account_field="pk")
    if text:
        rows = rows.filter(Q(slug__startswith=text.lower()) | Q(name__istartswith=text))
    return rows


def members(account: Account, *, text: str = "", role: str = "") -> QuerySet[User]:
    """Return the users with any role or one role in the account; `.roles_here` lists the roles."""
    own = Membership.objects.filter(account=account).order_by("role")
    wanted = own.filter(role=role) if role else own
    people = User.objects.filter(pk__in=wanted.order_by().values("user"))
    roles = Prefetch("memberships", own, to_attr="roles_here")
    return _people(people, text).prefetch_related(roles)


def operators(*, text: str = "") -> QuerySet[User]:
    """Return the platform's staff."""
    return _people(User.objects.filter(is_operator=True), text)


def _people(users: QuerySet[User], text: str) -> QuerySet[User]:
    """Return the users by user name, with the name that pages show as `.shown_name`."""
    full_name = Trim(Concat("first_name", Value(" "), "last_name"))
    users = users.annotate(shown_name=Coalesce(NullIf(full_name, Value("")), F("username")))
    if text:
        fields = ("username", "first_name", "last_name", "email")
        found = Q()
        for field in fields:
            found |= Q(**{f"{field}__istartswith": text})
        users = users.filter(found)
    factors = Authenticator.objects.filter(user=OuterRef("pk"))
    users = users.annotate(has_second_factor=Exists(factors))
    return users.prefetch_related("grants").order_by("username")


def open_invitations(account: Account | None) -> list[Invitation]:
    """Return the open invitations to an account (None: the platform), newest first, at most 200."""
    return list(invitations(account).order_by("-pk")[:200])


def invitations(account: Account | None) -> QuerySet[Invitation]:
    """Return all open invitations to an account (None: the platform), in no order."""
    rows = Invitation.objects.filter(
        account=account,
        accepted_at__isnull=True,
        withdrawn_at__isnull=True,
        expires_at__gt=timezone.now(),
    )
    return rows.select_related("account", "invited_by")


def supervised(user: User, account: Account) -> list[str]:
    """Return the desks of the account that the user supervises (`desk:support`), in order."""
    held = (grant for grant in user.grants.all() if grant.account_id == account.pk)
    return sorted(grant.thing for grant in held if grant.name == GrantName.SUPERVISE)


def roles_here(user: User, account: Account) -> list[str]:
    """Return the user's roles in the account, in order; from `members`, or read now."""
    known = getattr(user, "roles_here", None)
    rows = user.memberships.filter(account=account) if known is None else known
    return sorted(row.role for row in rows)


def has_second_factor(user: User) -> bool:
    """Return whether the user has set up a second factor."""
    known: bool = Authenticator.objects.filter(user=user).exists()
    return known


def invitation_of_user(user: User) -> Invitation | None:
    """Return the newest invitation that this user accepted, with its inviter, or None."""
    rows = Invitation.objects.filter(accepted_by=user).select_related("invited_by", "account")
    return rows.order_by("-accepted_at").first()


def linked_account(user: User) -> SocialAccount | None:
    """Return the account at the log-in provider by which this user may log in, or None."""
    if not settings.OIDC_ISSUER:
        return None
    rows = SocialAccount.objects.filter(user_id=user.pk, provider=settings.OIDC_ISSUER)
    return rows.first()


def is_linked(user: User) -> bool:
    """Return whether this user can log in by the provider."""
    return linked_account(user) is not None


def rights_by_group(user: User) -> list[str]:
    """Return the texts of the rights that this user has by groups of the log-in provider."""
    grants = Grant.objects.filter(user=user, by_group=True).order_by("name", "thing")
    roles = Membership.objects.filter(user=user, by_group=True).select_related("account")
    everywhere = any(not each.thing for each in grants)
    return [
        *([str(_("operator"))] if user.operator_by_group and not everywhere else []),
        *(" ".join(filter(None, (each.get_name_display(), each.thing))) for each in grants),
        *(f"{each.account.name}: {each.get_role_display()}" for each in roles.order_by("pk")),
    ]


def waiting_finance_requests(user: User | None = None) -> QuerySet[FinanceRequest]:
    """Return the finance requests that wait for approval, of all users or one; oldest first."""
    rows = finance_requests().filter(status=FinanceRequest.Status.WAITING)
    return (rows if user is None else rows.filter(user=user)).order_by("pk")


def finance_requests() -> QuerySet[FinanceRequest]:
    """Return all finance requests, with the users they name."""
    return FinanceRequest.objects.select_related("user", "asked_by", "decided_by")


def tokens(principal: Principal, *, text: str = "", state: str = "") -> QuerySet[ApiToken]:
    """Return the API tokens that this principal may see, newest first.

    state: live, revoked or expired; all if blank.
    """
    rows = ApiToken.objects.select_related("account", "created_by")
    rows = visible(rows, principal, "access.tokens_view")
    if text:
        rows = rows.filter(Q(name__istartswith=text) | Q(prefix__startswith=text))
    if state == "revoked":
        rows = rows.exclude(revoked_at=None)
    elif state in ("live", "expired"):
        lives = Q(expires_at__gt=timezone.now())
        rows = rows.filter(lives if state == "live" else ~lives, revoked_at=None)
    return rows.order_by("-pk")
