"""The rows that a principal may see: the decision of `decide`, as a filter."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

from poolsite.access.actions import Action, Hidden, LoginNeeded, action_of, require
from poolsite.access.principal import EVERYTHING, Principal, TokenScope, VisitorScope

M = TypeVar("M", bound=Model)


def visible(
    queryset: QuerySet[M],
    principal: Principal,
    action: str,
    *,
    account_field: str = "account",
    slug_field: str = "slug",
    kind: str = "",
) -> QuerySet[M]:
    """Return the rows of `queryset` for which `decide(principal, action, row)` returns ALLOW.

    account_field: path to the account's foreign key (`pool__account`). slug_field and kind: path to
    the slug, and the kind (`pool`), by which grants and tokens name the row or its whole. The kind
    defaults to the model's.
    """
    rule = action_of(action)
    if not principal.is_authenticated:
        return queryset.none()
    kind = kind or getattr(queryset.model, "access_kind", "") or queryset.model.__name__.lower()
    names = _Names(account_field, slug_field, kind)
    if principal.kind == "user":
        condition = _rows_of_user(principal, rule, names)
    elif isinstance(principal.scope, TokenScope):
        condition = _rows_of_token(principal.scope, rule, names)
    else:
        condition = _rows_of_visitor(principal, rule, names)
    if condition is None:
        return queryset
    return queryset.filter(condition)


def require_one(rows: QuerySet[M], principal: Principal, action: str) -> M:
    """Return the only row of `rows` if the principal may do `action`; for objects in addresses.

    Raise LoginNeeded; Hidden if there is no row or it belongs to another account; else Forbidden.
    """
    row = rows.first()
    if row is None:
        raise Hidden(action) if principal.is_authenticated else LoginNeeded(action)
    require(principal, action, row)
    return row


@dataclass(frozen=True, slots=True)
class _Names:
    account_field: str
    slug_field: str
    kind: str

    def covered(self, patterns: Iterable[str]) -> Q | None:
        """Return a filter for the rows that these patterns cover, or None for all rows."""
        patterns = frozenset(patterns)
        if EVERYTHING in patterns or f"{self.kind}:*" in patterns:
            return None
        prefix = f"{self.kind}:"
        slugs = [ref.removeprefix(prefix) for ref in patterns if ref.startswith(prefix)]
        return Q(**{f"{self.slug_field}__in": slugs}) if slugs else NOTHING


NOTHING = Q(pk__in=())


def _rows_of_user(principal: Principal, rule: Action, names: _Names) -> Q | None:
    if principal.is_operator and (rule.operators or rule.grants & principal.grants):
        return None
    suiting = [key for key, roles in principal.memberships.items() if rule.roles & roles]
    rows = Q(**{f"{names.account_field}__in": suiting}) if suiting else NOTHING
    for name, ref, account_id in principal.thing_grants:
        if name in rule.grants:
            rows |= _rows_of_grant(principal, names, ref, account_id)
    return rows


def _rows_of_grant(principal: Principal, names: _Names, ref: str, account_id: int | None) -> Q:
    """Return a filter for the rows that one grant for an object allows."""
    covered = names.covered([ref])
    if account_id is not None:
        if not principal.is_operator and account_id not in principal.memberships:
            return NOTHING
        tenants = Q(**{names.account_field: account_id})
    elif principal.is_operator:
        return ~NOTHING if covered is None else covered
    else:
        tenants = Q(**{f"{names.account_field}__in": list(principal.memberships)})
    return tenants if covered is None else tenants & covered


def _rows_of_token(scope: TokenScope, rule: Action, names: _Names) -> Q | None:
    if not rule.tokens or not (EVERYTHING in scope.actions or rule.name in scope.actions):
        return NOTHING
    rows = names.covered(scope.resources)
    if scope.account_id is None:
        return rows
    own = Q(**{names.account_field: scope.account_id})
    return own if rows is None else own & rows


def _rows_of_visitor(principal: Principal, rule: Action, names: _Names) -> Q:
    if not rule.visitors or not isinstance(principal.scope, VisitorScope):
        return NOTHING
    slug = {"desk": principal.scope.desk, "visit": principal.scope.visit}.get(names.kind)
    return NOTHING if slug is None else Q(**{names.slug_field: slug})
