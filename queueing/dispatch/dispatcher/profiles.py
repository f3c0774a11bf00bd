"""The protocols that front-ends speak, as far as the dispatcher treats them differently."""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Profile:
    """One protocol. The scripts know the same in modules/profiles.lua; a test compares them.

    `own_id`: the front-end brings its id; else each connection is given one, which never comes
    back. `routes`: none = no sessions. `arrival`: how a new connection of a known id is judged:
    clear = a reconnect until its first frame is `clear`; incarnation = by the boot id; new = every
    connection is new, its numbering too.
    """

    name: str
    own_id: bool
    routes: Literal["untimed", "timed", "none"]
    arrival: Literal["clear", "incarnation", "new"]


PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile("SIP", True, "untimed", "clear"),
        Profile("BICC", True, "untimed", "incarnation"),
        Profile("SMP", True, "timed", "new"),
        Profile("CMPP", False, "none", "new"),
        Profile("HTTP", False, "timed", "new"),
    )
}
