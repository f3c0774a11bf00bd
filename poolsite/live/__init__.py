"""Live views over one websocket: subscribe, get a snapshot, then get changes.

docs/reference/live-protocol.md describes the protocol.
"""

from poolsite.live.publish import personal, personal_channel, touch
from poolsite.live.sql import in_thread
from poolsite.live.topics import (
    Changes,
    RowsTopic,
    Snapshot,
    SnapshotTopic,
    StateTopic,
    Topic,
    register,
    resolve,
    touch_channel,
    version_of,
)

__all__ = [
    "Changes",
    "RowsTopic",
    "Snapshot",
    "SnapshotTopic",
    "StateTopic",
    "Topic",
    "in_thread",
    "personal",
    "personal_channel",
    "register",
    "resolve",
    "touch",
    "touch_channel",
    "version_of",
]
