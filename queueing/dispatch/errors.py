"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-group": (404, "Group not found"),
    "unknown-instance": (404, "Instance not found"),
    "unknown-session": (404, "Session not found"),
    "unknown-peer": (404, "Peer not found"),
    "unknown-upgrade": (404, "Upgrade not found"),
    "group-refused": (409, "The group's state does not allow this"),
    "upgrade-refused": (409, "The upgrade can't be done now"),
}


class DispatchError(RefusedError):
    """A use case of the dispatcher that was refused; nothing was changed."""
