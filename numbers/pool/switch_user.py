"""The Redis user of a switch that runs the scripts itself: what it must be allowed, and no more."""

import hashlib
import re
from dataclasses import dataclass
from typing import Final

from numbers.pool.keys import PoolKeys
from numbers.pool.scripts import SCRIPTS, SWITCH_SCRIPTS
from poolsite.hotpath import channels_of, commands_of

# EVALSHA and FCALL run what the platform has loaded; EVAL, SCRIPT and FUNCTION would bring in other
# texts. The rest is what clients send when they connect, look after the connection, or wait for an
# offer.
CONNECTION: Final = ("evalsha", "ping", "select", "subscribe", "unsubscribe")
FUNCTIONS: Final = ("fcall",)
CLUSTER: Final = ("asking", "cluster|slots", "command")
_NAME = re.compile(r"[A-Za-z0-9_.:@-]{1,64}")


@dataclass(frozen=True, slots=True)
class SwitchUser:
    """One user; `rules` are the words behind ACL SETUSER and its name. They hold no password."""

    name: str
    rules: tuple[str, ...]

    @property
    def line(self) -> str:
        """What redis-cli takes at its prompt."""
        return " ".join(("ACL SETUSER", self.name, *self.rules))


def switch_user(
    slug: str, switch: str, password: str, *, cluster: bool = False, functions: bool = False
) -> SwitchUser:
    """Return the user that `switch` needs for the pool `slug`, and for nothing else.

    `cluster`: also what a client needs to find the pool's node. `functions`: also FCALL; without it
    Redis 6.2 understands the rules, too. Raises ValueError for a switch whose name cannot be part
    of a user's name.
    """
    if _NAME.fullmatch(switch) is None:
        raise ValueError(switch)
    digest = hashlib.sha256(password.encode()).hexdigest()
    rules = (
        *("reset", "on", "#" + digest),
        *("resetkeys", *("~" + key for key in keys(slug))),
        *("resetchannels", *("&" + channel for channel in channels(slug))),
        *("-@all", *("+" + command for command in commands(cluster=cluster, functions=functions))),
    )
    return SwitchUser(f"{slug}.{switch}", rules)


def keys(slug: str) -> tuple[str, ...]:
    """The keys that the scripts declare, each by its full name."""
    tag = PoolKeys(slug).tag
    named = (key for name in SWITCH_SCRIPTS for key in SCRIPTS[name].keys_of(tag))
    return tuple(dict.fromkeys(named))


def channels(slug: str) -> tuple[str, ...]:
    """Where the scripts publish; the offers are also what a waiting switch listens to."""
    tag = PoolKeys(slug).tag
    return tuple(sorted({c for name in SWITCH_SCRIPTS for c in channels_of(SCRIPTS[name], tag)}))


def commands(*, cluster: bool = False, functions: bool = False) -> tuple[str, ...]:
    """What the scripts call, read from their texts, and what a client itself sends."""
    called = {c for name in SWITCH_SCRIPTS for c in commands_of(SCRIPTS[name])}
    sent = (*CONNECTION, *(FUNCTIONS if functions else ()), *(CLUSTER if cluster else ()))
    return (*sent, *sorted(called))
