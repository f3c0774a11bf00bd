"""Who may do what with groups; `dispatch.link` is a peer's own right to its socket."""

from poolsite.access import register_action

VIEWERS = ("owner", "admin", "supervisor")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_action("dispatch.view", roles=VIEWERS, operators=True, tokens=True)
    register_action("dispatch.link", grants=["operate"], tokens=True)
    register_action("dispatch.operate", grants=["operate"], tokens=True)
    register_action("dispatch.configure", grants=["operate"])
    register_action("dispatch.create", grants=["operate"], everywhere=True)
