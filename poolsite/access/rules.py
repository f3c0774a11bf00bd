"""The actions and first pages of the access app itself."""

from poolsite.access.actions import register_action
from poolsite.access.first_pages import register_first_page
from poolsite.access.principal import Principal

MANAGERS = ("owner", "admin")


def register() -> None:
    """Register them. Called once, by AppConfig.ready()."""
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
    register_first_page("overview", suits=_is_operator, url="/overview/", order=50)


def _is_operator(principal: Principal) -> bool:
    return principal.is_operator
