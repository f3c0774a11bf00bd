"""Problems of the dispatcher's API, and the error that use cases raise."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

# type → (status, title, when it is returned).
PROBLEMS: Mapping[str, tuple[int, str, str]] = {
    "unknown-group": (
        *(404, "Group not found"),
        "The group doesn't exist, or the token has no access to it.",
    ),
    "unknown-instance": (404, "Instance not found", "The group has no instance with this name."),
    "unknown-session": (404, "Session not found", "The group has no session with this ID."),
    "unknown-peer": (404, "Peer not found", "The group has no linked peer with this ID."),
    "unknown-upgrade": (404, "Upgrade not found", "The group has no upgrade with this ID."),
    "group-refused": (
        *(409, "The group's state does not allow this"),
        "The group's state doesn't allow this. `detail` says why.",
    ),
    "upgrade-refused": (
        *(409, "The upgrade can't be done now"),
        "The upgrade can't be done now. `detail` says why.",
    ),
}

# The problems that each operation of the API returns, including those of other apps.
OPERATIONS: Mapping[str, str] = {
    "GET groups/{slug}": "unknown-group",
    "PATCH groups/{slug}": "unknown-group",
    "DELETE groups/{slug}": "unknown-group group-refused",
    "GET groups/{slug}/instances": "unknown-group",
    "GET groups/{slug}/front-ends": "unknown-group",
    "POST groups/{slug}/instances/{name}/manual": "unknown-group",
    "POST groups/{slug}/instances/{name}/backup": "unknown-group",
    "POST groups/{slug}/instances/{name}/uneject": "unknown-group unknown-instance group-refused",
    "DELETE groups/{slug}/instances/{name}": "unknown-group unknown-instance group-refused",
    "POST groups/{slug}/front-ends/{peer_id}/count": "unknown-group",
    "POST groups/{slug}/peers/{peer}/disconnect": "unknown-group unknown-peer",
    "GET groups/{slug}/sessions": "unknown-group unknown-peer",
    "GET groups/{slug}/sessions/explain": "unknown-group unknown-session",
    "POST groups/{slug}/sessions/end": "unknown-group unknown-session",
    "GET groups/{slug}/events": "unknown-group",
    "GET groups/{slug}/upgrades": "unknown-group",
    "POST groups/{slug}/upgrades": "unknown-group upgrade-refused",
    "GET groups/{slug}/upgrades/{upgrade}": "unknown-group unknown-upgrade",
    "POST groups/{slug}/upgrades/{upgrade}/force": "unknown-group unknown-upgrade upgrade-refused",
    "POST groups/{slug}/upgrades/{upgrade}/abort": "unknown-group unknown-upgrade upgrade-refused",
}


class DispatchError(RefusedError):
    """A refusal by a use case of the dispatcher. Nothing was changed."""
