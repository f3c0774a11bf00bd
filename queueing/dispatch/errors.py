"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-group": (404, "There is no such group"),
    "unknown-instance": (404, "There is no such instance"),
    "unknown-session": (404, "There is no such session"),
    "unknown-peer": (404, "There is no such peer"),
    "unknown-upgrade": (404, "There is no such upgrade"),
    "group-refused": (409, "The group's state does not allow this"),
    "upgrade-refused": (409, "The upgrade cannot be done now"),
}


class DispatchError(RefusedError):
    """A use case of the dispatcher that was refused; nothing was changed."""
