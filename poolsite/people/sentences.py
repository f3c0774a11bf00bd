"""The history's sentences about people, accounts and tokens."""

from collections.abc import Collection, Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from poolsite.access import Principal, decide
from poolsite.access.models import Account, AuditEntry, FinanceRequest, GrantName, Role, User
from poolsite.access.oidc.refusals import REFUSALS
from poolsite.access.services.people import EVERYWHERE
from poolsite.console.sentences import (
    HistoryObject,
    Reading,
    Sentence,
    SettingsFields,
    choice,
    json_list,
    moment,
    object_word,
    person,
    plain,
    register,
    register_object,
)
from poolsite.people.forms import AccountForm, ProfileForm

PEOPLE, SECURITY, TOKENS = _("People"), _("Security"), _("API tokens")


def register_all() -> None:
    """Register them. Called once, before the log is first read."""
    register(*_of_accounts(), *_of_people(), *_of_security(), *_of_tokens())
    register_object(
        HistoryObject("user", _("User"), _pages_of_users),
        HistoryObject("invitation", _("Invitation")),
        HistoryObject("token", _("API token")),
    )


def _of_accounts() -> list[Sentence]:
    return [
        Sentence("access.account_create", PEOPLE, _("%(actor)s created the account %(thing)s")),
        Sentence(
            "access.account_change",
            PEOPLE,
            settings=SettingsFields(Account, AccountForm),
            title=_("Changed an account"),
        ),
    ]


def _of_people() -> list[Sentence]:
    roles = json_list(choice(Role.choices))
    grant = {"user": person, "grant": choice(GrantName.choices), "scope": _scope}
    return [
        Sentence("access.user_create", PEOPLE, _("%(actor)s added the user %(thing)s")),
        Sentence("access.user_activate", PEOPLE, _("%(actor)s reactivated %(thing)s")),
        Sentence("access.user_deactivate", PEOPLE, _("%(actor)s deactivated %(thing)s")),
        Sentence(
            "access.operator_set",
            PEOPLE,
            _("Single sign-on made %(thing)s an operator"),
            variant=lambda entry: (
                ""
                if (entry.after or {}).get("is_operator")
                else _("Single sign-on no longer makes %(thing)s an operator")
            ),
        ),
        Sentence(
            "access.profile_change",
            PEOPLE,
            settings=SettingsFields(User, ProfileForm),
            title=_("Changed a profile"),
        ),
        Sentence(
            "access.membership_set",
            PEOPLE,
            _(
                "%(actor)s changed the roles of %(user)s in %(thing)s from %(before_roles)s "
                "to %(roles)s"
            ),
            {"user": person, "roles": roles, "before_roles": roles},
            variant=_roles_given_or_taken,
        ),
        Sentence(
            "access.grant_give",
            PEOPLE,
            _("%(actor)s granted %(user)s %(grant)s for %(scope)s"),
            grant,
        ),
        Sentence(
            "access.grant_take",
            PEOPLE,
            _("%(actor)s revoked %(grant)s for %(scope)s from %(user)s"),
            grant,
        ),
        Sentence(
            "access.finance_ask",
            PEOPLE,
            _("%(actor)s requested the Finance grant for %(thing)s"),
        ),
        Sentence(
            "access.finance_approve",
            PEOPLE,
            _("%(actor)s approved the Finance grant for %(thing)s, requested by %(asked_by)s"),
            {"asked_by": person},
        ),
        Sentence(
            "access.finance_reject",
            PEOPLE,
            _("%(actor)s rejected the Finance grant for %(thing)s, requested by %(asked_by)s"),
            {"asked_by": person},
            variant=lambda entry: (
                _("%(actor)s withdrew the request for the Finance grant for %(thing)s")
                if (entry.after or {}).get("status") == FinanceRequest.Status.WITHDRAWN
                else ""
            ),
        ),
        Sentence(
            "access.invitation_create",
            PEOPLE,
            _("%(actor)s invited %(thing)s"),
            {"role": choice(Role.choices)},
            variant=lambda entry: (
                _("%(actor)s invited %(thing)s as %(role)s")
                if (entry.after or {}).get("role")
                else ""
            ),
        ),
        Sentence(
            "access.invitation_accept",
            PEOPLE,
            _("%(actor)s accepted the invitation sent to %(thing)s"),
        ),
        Sentence(
            "access.invitation_withdraw",
            PEOPLE,
            _("%(actor)s withdrew the invitation for %(thing)s"),
        ),
    ]


def _of_security() -> list[Sentence]:
    return [
        Sentence(
            "access.log_out_everywhere", SECURITY, _("%(actor)s ended all sessions of %(thing)s")
        ),
        Sentence(
            "access.password_set",
            SECURITY,
            _("%(actor)s set a new password for %(thing)s"),
            variant=lambda entry: _("%(actor)s changed their password") if _own(entry) else "",
        ),
        Sentence(
            "access.factor_add",
            SECURITY,
            _("%(actor)s set up an authenticator app for %(thing)s"),
            variant=lambda entry: _("%(actor)s set up an authenticator app") if _own(entry) else "",
        ),
        Sentence(
            "access.factor_remove",
            SECURITY,
            _("%(actor)s removed the authenticator app of %(thing)s"),
            variant=lambda entry: (
                _("%(actor)s removed the authenticator app") if _own(entry) else ""
            ),
        ),
        Sentence("access.passkey_add", SECURITY, _("%(actor)s added a passkey")),
        Sentence("access.passkey_remove", SECURITY, _("%(actor)s removed a passkey")),
        Sentence("access.sign_on", SECURITY, _("%(actor)s logged in by single sign-on")),
        Sentence(
            "access.sign_on_refuse",
            SECURITY,
            _("Single sign-on refused %(thing)s: %(why)s"),
            {"why": choice([(code, each.title) for code, each in REFUSALS.items()])},
        ),
        Sentence("access.sign_on_link", SECURITY, _("Single sign-on was linked to %(thing)s")),
        Sentence(
            "access.sign_on_unlink", SECURITY, _("Single sign-on was unlinked from %(thing)s")
        ),
        Sentence("access.sessions_end", SECURITY, _("%(actor)s ended %(sessions)s other sessions")),
        Sentence(
            "access.factor_blocked",
            SECURITY,
            _(
                "%(actor)s blocked the authenticator app of %(thing)s until "
                "%(blocked_until)s after %(failures)s incorrect codes"
            ),
            {"blocked_until": moment},
        ),
        Sentence("access.recovery_code_use", SECURITY, _("%(actor)s used a recovery code")),
        Sentence(
            "access.recovery_codes_renew",
            SECURITY,
            _("%(actor)s created new recovery codes for %(thing)s"),
            variant=lambda entry: _("%(actor)s created new recovery codes") if _own(entry) else "",
        ),
    ]


def _of_tokens() -> list[Sentence]:
    return [
        Sentence(
            "access.token_create",
            TOKENS,
            _("%(actor)s created the API token %(thing)s, valid until %(expires_at)s"),
            {"expires_at": moment},
        ),
        Sentence("access.token_revoke", TOKENS, _("%(actor)s revoked the API token %(thing)s")),
    ]


def _own(entry: AuditEntry) -> bool:
    """Whether a user did this to their own user."""
    return entry.actor_kind == "user" and entry.actor_id == entry.thing_id


def _roles_given_or_taken(entry: AuditEntry) -> Any:
    if not (entry.after or {}).get("roles"):
        return _("%(actor)s removed %(user)s from %(thing)s")
    if not (entry.before or {}).get("roles"):
        return _("%(actor)s gave %(user)s the role %(roles)s in %(thing)s")
    return ""


def _scope(_value: Any, reading: Reading) -> str:
    """Return what a grant is for: everything, or one object, stored as kind:slug."""
    kept = str(reading.value("thing") or EVERYWHERE)
    kind, _colon, slug = kept.partition(":")
    if kept == EVERYWHERE:
        return str(_("the whole platform"))
    return f"{object_word(kind)} {slug}" if slug else plain(kept, reading)


def _pages_of_users(reader: Principal, ids: Collection[str]) -> Mapping[str, str]:
    """Return the operators' pages, if the reader may see operators."""
    if not decide(reader, "access.operators_view", None).allowed:
        return {}
    known = [each for each in ids if each.isdecimal()]
    rows = User.objects.filter(pk__in=known, is_operator=True).values_list("pk", flat=True)
    return {str(pk): reverse("access:operator", args=[pk]) for pk in rows}
