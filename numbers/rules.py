"""Who may do what with pools and numbers."""

from poolsite.access import register_action

VIEWERS = ("owner", "admin", "supervisor")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_action("numbers.view", roles=VIEWERS, operators=True, tokens=True)
    register_action("numbers.event", grants=["operate"], tokens=True)
    register_action("numbers.operate", grants=["operate"])
    register_action("numbers.label", grants=["operate"], tokens=True)
    register_action("numbers.create", grants=["operate"], everywhere=True)
