"""Who may do what with money."""

from poolsite.access import register_action

MEMBERS = ("owner", "admin", "payer", "sender")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_action("billing.view", roles=MEMBERS, operators=True, tokens=True)
    register_action("billing.pay", roles=["owner", "payer"], grants=["finance"], fresh_factor=True)
    register_action("billing.send", roles=["owner", "sender", "admin"], tokens=True)
    register_action("billing.hold", tokens=True)
    register_action("billing.finance", grants=["finance"], fresh_factor=True)
    register_action("billing.adjusting", grants=["finance"])  # who sees the way to billing.finance
    register_action("billing.own", roles=MEMBERS)  # a customer's own pages
    register_action("billing.paying", roles=["owner", "payer"])  # who sees the way to billing.pay
    register_action("billing.books", operators=True)  # what only operators look at
