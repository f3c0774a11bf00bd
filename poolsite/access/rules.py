"""The actions and first pages of the access app itself."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from poolsite.access.actions import register_action
from poolsite.access.first_pages import register_first_page
from poolsite.access.principal import Principal

MANAGERS = ("owner", "admin")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_action("access.profile", members=True)
    register_action("access.people_view", roles=MANAGERS, operators=True)
    register_action("access.people_change", roles=MANAGERS, grants=["operate"])
    register_action("access.accounts_change", grants=["operate"], everywhere=True)
    register_action("access.operators_view", operators=True)
    register_action("access.operators_change", grants=["operate"], everywhere=True)
    register_action("access.finance_decide", grants=["finance"], everywhere=True, fresh_factor=True)
    register_action("access.tokens_view", roles=MANAGERS, operators=True)
    register_action("access.tokens_change", roles=MANAGERS, grants=["operate"])
    register_action("access.history_view", roles=MANAGERS, operators=True)
    _register_navigation()
    _register_managed()
    _register_undo_ways()
    register_first_page("overview", suits=_is_operator, url="/overview/", order=50)


def _register_navigation() -> None:
    from poolsite.operations.navigation import Entry, register

    for entry in (
        Entry(
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
        Entry(
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
        Entry(
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
        Entry(
            "history",
            _("Audit log"),
            "access:history",
            "history",
            section="account",
            order=50,
            actions=("access.history_view",),
            key="h",
        ),
        Entry(
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
        register(entry)


def _register_managed() -> None:
    from poolsite import operations
    from poolsite.access.models import Account
    from poolsite.access.services import account_change

    operations.register_managed(
        operations.ManagedKind(
            "account",
            _("Account"),  # type: ignore[arg-type]  # translated where it is shown
            _("Visible only to operators."),  # type: ignore[arg-type]
            Account.objects.all,
            lambda account: reverse("access:members", args=[account.slug]),
            "access.operators_view",
            "access.accounts_change",
            operations.Undo(
                "access.account_change",
                operations.through(account_change, "account"),
            ),
        )
    )


def _register_undo_ways() -> None:
    from poolsite.access import undo_ways

    undo_ways.register()


def _is_operator(principal: Principal) -> bool:
    return principal.is_operator
