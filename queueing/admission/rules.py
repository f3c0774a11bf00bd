"""Who may do what with gates and batches."""

from poolsite.access import register_action

VIEWERS = ("owner", "admin", "supervisor")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_action("admission.view", roles=VIEWERS, operators=True, tokens=True)
    register_action("admission.use", grants=["operate"], tokens=True)
    register_action("admission.batch", roles=("owner", "admin"), grants=["operate"], tokens=True)
    register_action("admission.operate", grants=["operate"])
    register_action("admission.create", grants=["operate"], everywhere=True)
