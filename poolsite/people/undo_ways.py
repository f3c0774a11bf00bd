"""How the history undoes changes of roles and grants, by the rules of the pages that give them."""

from typing import Any

from django.utils.translation import gettext as _

from poolsite import console
from poolsite.access import Principal
from poolsite.access.giving import why_no_grants, why_no_roles, why_not_alone
from poolsite.access.models import (
    Account,
    AuditEntry,
    FinanceRequest,
    Grant,
    GrantName,
    Membership,
    Role,
    User,
)
from poolsite.access.services import grant_set, membership_set
from poolsite.access.services.people import EVERYWHERE, has_other_owner
from poolsite.console.kept_values import Values


def register() -> None:
    """Register the handlers. Called once, by AppConfig.ready()."""
    console.register_way(
        console.UndoHandler(
            console.Undo(
                "access.membership_set",
                console.through(membership_set, "account"),
                refusal=_why_no_roles,
                values=_roles_of,
                stands=_has_roles,
            ),
            "account",
            Account.objects.all,
            lambda _entry: "access.people_change",
            lambda accounts, entry: accounts.filter(slug=entry.thing_id),
        )
    )
    for action in ("access.grant_give", "access.grant_take"):
        console.register_way(_way_of_grants(action))
        console.register_way(_way_of_grants_in_accounts(action))
    for action, why in {
        "access.finance_ask": _why_asked,
        "access.finance_approve": lambda _entry: _("Remove the grant on the operator's page."),
        "access.finance_reject": lambda _entry: _("Request the grant again."),
    }.items():
        console.register_final(console.NotUndoable(action, "access.operators_change", why))


def _why_asked(entry: AuditEntry) -> str:
    """Return why a request can't be undone here: a waiting one is withdrawn on its page.

    Return "" for a decided one, whose decision is undone by other means.
    """
    waiting = FinanceRequest.objects.filter(
        pk=(entry.after or {}).get("request", 0), status=FinanceRequest.Status.WAITING
    )
    return _("Withdraw or reject the request on its page.") if waiting.exists() else ""


# -- roles -----------------------------------------------------------------------------------------


def _roles_of(_account: Account, kept: Values) -> Values | None:
    user = _user_of(kept)
    roles = set(kept.get("roles") or ())
    return {"user": user, "roles": roles} if user and roles <= set(Role.values) else None


def _has_roles(account: Account, values: Values) -> bool:
    return bool(_roles_now(account, values["user"]) == values["roles"])


def _roles_now(account: Account, user: User) -> set[str]:
    rows = Membership.objects.filter(account=account, user=user)
    return set(rows.values_list("role", flat=True))


def _why_no_roles(principal: Principal, account: Account, values: Values) -> str:
    held = _roles_now(account, values["user"])
    if why := why_no_roles(principal, account, held ^ values["roles"]):
        return why
    if Role.OWNER in held - values["roles"] and not has_other_owner(values["user"], account):
        return _("An account must have at least one owner.")
    return ""


# -- grants ----------------------------------------------------------------------------------------


def _way_of_grants(action: str) -> console.UndoHandler:
    """Return the handler of an operator's grants, for everything or one object of the platform."""
    return console.UndoHandler(
        console.Undo(
            action,
            console.through(grant_set, "user"),
            refusal=_why_no_grant,
            values=lambda _user, kept: _grant_of(kept),
            stands=lambda user, values: _is_granted(values, user=user, account=None),
        ),
        "user",
        lambda: User.objects.filter(is_operator=True),
        lambda _entry: "access.operators_change",
    )


def _way_of_grants_in_accounts(action: str) -> console.UndoHandler:
    """Return the handler of a member's grants, for one object of the account."""
    return console.UndoHandler(
        console.Undo(
            action,
            console.through(grant_set, "account"),
            refusal=_why_no_grant_in_account,
            values=_grant_in_account_of,
            stands=lambda account, values: _is_granted(values, account=account),
        ),
        "account",
        Account.objects.all,
        lambda _entry: "access.people_change",
        lambda accounts, entry: accounts.filter(slug=entry.thing_id),
    )


def _why_no_grant(principal: Principal, user: User, values: Values) -> str:
    given = [values["name"]] if values["granted"] else []
    return why_no_grants(principal, user, given) or "".join(map(why_not_alone, given))


def _grant_of(kept: Values) -> dict[str, Any] | None:
    name, thing = kept.get("grant"), kept.get("thing")
    if name not in GrantName.values or not thing:
        return None
    thing = "" if thing == EVERYWHERE else thing
    return {"name": name, "thing": thing, "granted": kept.get("granted") is True}


def _grant_in_account_of(_account: Account, kept: Values) -> Values | None:
    user, grant = _user_of(kept), _grant_of(kept)
    return {**grant, "user": user} if grant and user else None


def _is_granted(values: Values, **whose: Any) -> bool:
    wanted = {name: value for name, value in values.items() if name != "granted"}
    return Grant.objects.filter(**wanted, **whose).exists() is values["granted"]


def _why_no_grant_in_account(principal: Principal, account: Account, values: Values) -> str:
    """Return why the principal may not give the grant back, or "" if they may.

    A principal who may change people may appoint supervisors; other grants need the grant itself.
    """
    if not values["granted"]:
        return ""
    if values["name"] != GrantName.SUPERVISE and values["name"] not in principal.grants:
        return _("You can only give grants that you have.")
    if not _roles_now(account, values["user"]):
        return _("This person is no longer a member.")
    return why_not_alone(values["name"])


def _user_of(kept: Values) -> User | None:
    return User.objects.filter(username=kept.get("user") or "").first()
