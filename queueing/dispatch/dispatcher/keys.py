"""Names of a group's keys and channels in Redis, and the keys of its peers."""

import re
from dataclasses import dataclass
from typing import Final

PREFIX: Final = "disp."  # of every tag, before the slug
ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
SESSION_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+~-]{0,38}")
SESSION_LENGTH: Final = 80


@dataclass(frozen=True, slots=True)
class GroupKeys:
    """The tag and the channel of a group (docs/reference/dispatch/redis.md)."""

    slug: str

    @property
    def tag(self) -> str:
        """The hash tag with its braces: the key of the settings, and the start of all others."""
        return "{" + PREFIX + self.slug + "}"

    @property
    def wake_channel(self) -> str:
        """The channel for changes. A message is published at most once per tenth of a second."""
        return self.tag + ":wake"


def process_channel(process: str) -> str:
    """Return the channel on which a web process receives what its sockets must send."""
    return f"dispatch:to:{process}"


def front(front_id: str) -> str:
    """Return the peer key of a front-end."""
    return f"f:{front_id}"


def back(back_id: str) -> str:
    """Return the peer key of an application-server instance."""
    return f"b:{back_id}"


def is_front(peer: str) -> bool:
    """Return whether a peer key is a front-end's."""
    return peer.startswith("f:")


def id_of(peer: str) -> str:
    """Return the ID in a peer key."""
    return peer[2:]


def front_of(session: str) -> str:
    """Return the ID of the front-end that started a session."""
    return session.partition("/")[0]
