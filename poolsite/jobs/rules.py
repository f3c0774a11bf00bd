"""Who may see and stop a job: who started it, the account's managers, operators."""

from poolsite.access import register_action

MANAGERS = ("owner", "admin")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    register_action("jobs.view", roles=MANAGERS, operators=True, members=True)
    register_action("jobs.cancel", roles=MANAGERS, grants=["operate"], members=True)
