"""The search results of accounts: the accounts, their people, operators and API tokens."""

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import console
from poolsite.access import Principal, decide, selectors, visible
from poolsite.access.models import Account, Membership, User
from poolsite.console import Found
from poolsite.console.matching import named
from poolsite.console.palette import Offer, register_offer
from poolsite.console.registry import Follow

NAMES = ("first_name", "last_name", "username", "email")


def register() -> None:
    """Register the search. Called once, by AppConfig.ready()."""
    console.register_search("access", find)
    for page in (
        Offer(
            "profile", gettext_lazy("Profile"), "access:profile", "account_circle", group="pages"
        ),
        Offer("security", gettext_lazy("Security"), "mfa_index", "shield_person", group="pages"),
    ):
        register_offer(page)
    for label, url, icon, action in OFFERS:
        register_offer(Offer(f"access.{action}", label, url, icon, f"access.{action}"))


def _invite(principal: Principal) -> str:
    """Return the form of the only account that the user manages, or the list to choose from."""
    rows = visible(Account.objects.all(), principal, "access.people_change", account_field="pk")
    first = list(rows.order_by("slug")[:2])
    one = reverse("access:invite", args=[first[0].slug]) if len(first) == 1 else ""
    return one or (reverse("access:accounts") if first else "")


OFFERS: tuple[tuple[Any, str | Callable[[Principal], str], str, str], ...] = (
    (gettext_lazy("New account…"), "access:account_add", "group_add", "accounts_change"),
    (gettext_lazy("Invite a person…"), _invite, "person_add", "people_change"),
    (
        gettext_lazy("Invite an operator…"),
        "access:operator_invite",
        "shield_person",
        "operators_change",
    ),
    (gettext_lazy("Create API token…"), "access:token_add", "key", "tokens_change"),
)


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Return accounts, people and tokens by name; people by address, too."""
    found: list[Found] = []
    if decide(principal, "access.people_view"):
        found += _accounts(principal, text, limit)
        found += _everyone(text, limit) if principal.is_operator else _own(principal, text, limit)
    if decide(principal, "access.tokens_view"):
        found += _tokens(principal, text, limit)
    return found


def _accounts(principal: Principal, text: str, limit: int) -> list[Found]:
    rows = selectors.accounts(principal).order_by("slug")
    return [
        Found(
            _("Account"),
            row.name,
            row.slug,
            reverse("access:members", args=[row.slug]),
            exact=place == 0,
            group="accounts",
            icon="domain",
            key=f"account:{row.slug}",
            rank=place,
            follow=_follow(principal, row),
        )
        for place, row in named(rows, text, ("name", "slug"), limit)
    ]


def _follow(principal: Principal, row: Account) -> list[Follow]:
    people = Follow("pages", _("People"), reverse("access:members", args=[row.slug]), "group")
    if not decide(principal, "access.people_change", row):
        return [people]
    words = _("Invite a person to %(account)s…") % {"account": row.name}
    url = reverse("access:invite", args=[row.slug])
    return [people, Follow("actions", words, url, "person_add")]


def _everyone(text: str, limit: int) -> list[Found]:
    """Return anyone, for an operator: the platform's staff, then the people of accounts."""
    staff = [
        _person(user, place, _("Operator"), reverse("access:operator", args=[user.pk]))
        for place, user in named(selectors.operators(), text, NAMES, limit)
    ]
    rows = Membership.objects.exclude(user__is_operator=True)
    return [*staff, *_members(rows, text, limit)]


def _own(principal: Principal, text: str, limit: int) -> list[Found]:
    """Return the people of the accounts that the reader manages."""
    rows = visible(Membership.objects.all(), principal, "access.people_view")
    return _members(rows, text, limit)


def _members(rows: QuerySet[Membership], text: str, limit: int) -> list[Found]:
    """Return people by their own names or by their account's; each person once."""
    rows = rows.select_related("user", "account").order_by("user__username", "account__slug")
    fields = [*(f"user__{name}" for name in NAMES), "account__name"]
    return [_member(row.user, place, row) for place, row in named(rows, text, fields, limit)]


def _member(user: User, place: int, role: Membership) -> Found:
    detail = f"{role.get_role_display()} · {role.account.name}"
    url = reverse("access:member", args=[role.account.slug, user.pk])
    return _person(user, place, detail, url)


def _person(user: User, place: int, detail: str, url: str) -> Found:
    return Found(
        _("Person"),
        user.display_name,
        " · ".join(part for part in (detail, user.email) if part),
        url,
        exact=place == 0,
        group="people",
        icon="person",
        key=f"user:{user.pk}",
        rank=place,
        chip="" if user.is_active else _("Deactivated"),
    )


def _tokens(principal: Principal, text: str, limit: int) -> list[Found]:
    rows = selectors.tokens(principal)
    address = reverse("access:tokens")
    found = []
    for place, row in named(rows, text, ("name", "prefix", "switch"), limit):
        ended = _("Revoked") if row.revoked_at else ""
        ended = ended or (_("Expired") if row.expires_at <= timezone.now() else "")
        owner = row.account.name if row.account is not None else _("Platform")
        found.append(
            Found(
                _("API token"),
                row.name,
                f"{row.prefix}… · {owner}",
                f"{address}?q={row.prefix}",
                exact=place == 0,
                group="tokens",
                icon="key",
                key=f"token:{row.pk}",
                rank=place,
                chip=ended,
            )
        )
    return found
