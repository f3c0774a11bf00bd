"""The protocols of front-ends, as far as the dispatcher treats them differently."""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Profile:
    """A protocol. modules/profiles.lua has the same values; a test compares them.

    `own_id`: the front-end sends its ID. Otherwise each connection is assigned an ID, which is
    never used again. `routes`: none if it has no sessions. `arrival`: how a new connection of a
    known ID is judged. clear: a reconnect, unless its first frame is `clear`. incarnation: by the
    boot ID. new: every connection is new, and so is its numbering.
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
