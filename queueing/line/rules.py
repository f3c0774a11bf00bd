"""Who may do what at a desk."""

from poolsite.access import register_action


def register() -> None:
    """Called once, by AppConfig.ready()."""
    watchers = ("owner", "admin", "supervisor")
    register_action("line.view", roles=watchers, grants=["supervise"], operators=True, tokens=True)
    register_action(
        "line.supervise",
        roles=["supervisor", "admin"],
        grants=["supervise", "operate"],
        tokens=True,
    )
    register_action("line.configure", roles=["owner", "admin"], grants=["operate"])
    register_action("line.erase", roles=["owner", "admin"], grants=["operate"], tokens=True)
    register_action("line.create", grants=["operate"], everywhere=True)
    register_action("line.serve", roles=["agent", "supervisor", "admin", "owner"], tokens=True)
    register_action(
        "line.answer",
        roles=["agent", *watchers],
        grants=["supervise", "operate"],
        tokens=True,
    )
    register_action(
        "line.messages",
        roles=["agent", *watchers],
        grants=["supervise"],
        operators=True,
        tokens=True,
    )
    register_action("line.visit", visitors=True, tokens=True)
