"""The sidebar entries of people and access; accounts as objects with tags and notes."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from poolsite import console
from poolsite.access import Principal
from poolsite.access.models import Account
from poolsite.access.services import account_change
from poolsite.console import navigation
from poolsite.console.navigation import MenuEntry
from poolsite.console.page_words import register_page_word


def register() -> None:
    """Register the entries. Called once, by AppConfig.ready()."""
    register_page_word("access:tokens", _("Open tokens"))
    register_page_word("access:operators", _("Open operators"))
    register_page_word("access:accounts", _("Open accounts"))
    register_page_word("access:finance_request", _("Open request"))
    for entry in (
        MenuEntry(
            "accounts",
            _("Accounts"),
            "access:accounts",
            "group",
            section="account",
            order=30,
            actions=("access.people_view",),
            match=("access:members", "access:member", "access:invite", "access:account_add"),
            key="a",
        ),
        MenuEntry(
            "tokens",
            _("API tokens"),
            "access:tokens",
            "key",
            section="account",
            order=40,
            actions=("access.tokens_view",),
            incidents=("access.token",),
            match=("access:token_add",),
        ),
        MenuEntry(
            "api_reference",
            _("API reference"),
            "api_reference",
            "api",
            section="account",
            order=45,
            actions=("access.tokens_change",),
            match=("api_reference_group",),
            suits=_is_operator,  # others, who have nine entries, open it from their tokens
        ),
        MenuEntry(
            "history",
            _("Audit log"),
            "access:history",
            "history",
            section="account",
            order=50,
            actions=("access.history_view",),
            key="h",
        ),
        MenuEntry(
            "operators",
            _("Operators"),
            "access:operators",
            "shield_person",
            section="system",
            order=30,
            actions=("access.operators_view",),
            incidents=("access.codes",),
            match=("access:operator", "access:operator_invite", "access:finance_request"),
        ),
    ):
        navigation.register(entry)
    _register_accounts()


def _register_accounts() -> None:
    console.register_managed(
        console.ManagedKind(
            "account",
            _("Account"),
            _("Visible only to operators."),
            Account.objects.all,
            lambda account: reverse("access:members", args=[account.slug]),
            "access.operators_view",
            "access.accounts_change",
            console.Undo(
                "access.account_change",
                console.through(account_change, "account"),
            ),
        )
    )


def _is_operator(principal: Principal) -> bool:
    return principal.is_operator
