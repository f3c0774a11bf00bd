"""Who may see and stop a job: the member who started it, the account's managers, and operators."""

from poolsite.access import register_action

MANAGERS = ("owner", "admin")


def register() -> None:
    """Register the rules. Called once in AppConfig.ready()."""
    register_action("jobs.view", roles=MANAGERS, operators=True, members=True)
    register_action("jobs.cancel", roles=MANAGERS, grants=["operate"], members=True)
