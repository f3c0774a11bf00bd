"""The Redis user of a switch that runs the scripts itself, with only the rights that it needs."""

import hashlib
import re
from dataclasses import dataclass
from typing import Final

from numbers.pool.keys import PoolKeys
from numbers.pool.scripts import SCRIPTS, SWITCH_SCRIPTS
from poolsite.hotpath import channels_of, commands_of

# EVALSHA and FCALL run scripts that the platform has loaded. EVAL, SCRIPT and FUNCTION would allow
# other scripts. The other commands are those that clients send to connect, to maintain the
# connection, or to wait for an offer.
CONNECTION: Final = ("evalsha", "ping", "select", "subscribe", "unsubscribe")
FUNCTIONS: Final = ("fcall",)
CLUSTER: Final = ("asking", "cluster|slots", "command")
_NAME = re.compile(r"[A-Za-z0-9_.:@-]{1,64}")


@dataclass(frozen=True, slots=True)
class SwitchUser:
    """One user. `rules` are the arguments of ACL SETUSER after the name. They have no password."""

    name: str
    rules: tuple[str, ...]

    @property
    def line(self) -> str:
        """The line for the prompt of redis-cli."""
        return " ".join(("ACL SETUSER", self.name, *self.rules))


def switch_user(
    slug: str, switch: str, password: str, *, cluster: bool = False, functions: bool = False
) -> SwitchUser:
    """Return the user that `switch` needs for the pool `slug`, and for nothing else.

    `cluster`: also the commands with which a client finds the pool's node. `functions`: also FCALL;
    without it, Redis 6.2 understands the rules, too. Raise ValueError for a switch whose name can't
    be part of a user's name.
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
    """The keys that the scripts declare, with their full names."""
    tag = PoolKeys(slug).tag
    named = (key for name in SWITCH_SCRIPTS for key in SCRIPTS[name].keys_of(tag))
    return tuple(dict.fromkeys(named))


def channels(slug: str) -> tuple[str, ...]:
    """The channels that the scripts publish to. A waiting switch also listens to the offers."""
    tag = PoolKeys(slug).tag
    return tuple(sorted({c for name in SWITCH_SCRIPTS for c in channels_of(SCRIPTS[name], tag)}))


def commands(*, cluster: bool = False, functions: bool = False) -> tuple[str, ...]:
    """The commands that the scripts call, read from their texts, and those that a client sends."""
    called = {c for name in SWITCH_SCRIPTS for c in commands_of(SCRIPTS[name])}
    sent = (*CONNECTION, *(FUNCTIONS if functions else ()), *(CLUSTER if cluster else ()))
    return (*sent, *sorted(called))
