"""Requests and answers about pools as a whole."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from numbers.models import Pool
from numbers.services.pools import SETTINGS
from poolsite.api.fields import Line, Reason, Slug40
from poolsite.api.reading import STRICT
from poolsite.api.setting_models import settings_in, settings_out

# Descriptions that the form has as help texts, or that the page shows next to the setting.
WORDS: Mapping[str, str] = {
    "lease_seconds": "Seconds that a call keeps its number without a renewal.",
    "suspect_seconds": "Seconds that a silent call's number is still held after its lease.",
    "switch_interval_seconds": "How often switches report the calls they carry, in seconds.",
    "cooldown_seconds": "Seconds that a number rests after a call.",
    "restart_rest_seconds": "Seconds that numbers rest whose calls ended by a switch's restart.",
    "waiters_limit": "Calls that can wait for a number. Further calls are refused immediately.",
    "charged": "Whether the pool's account is charged for calls.",
    "charge_interval_seconds": "How often a call in progress is charged, in seconds.",
    "blocking_alarm_percent": "Alert when more of the calls than this get no number.",
    "occupancy_alarm_percent": "Alert when more of the numbers than this are in use.",
    "added_by_script": (
        "What happens to a number that the event `add` adds. `lend`: it is available immediately; "
        "`confirm`: after no other pool was found to have it; `refuse`: the event is refused."
    ),
}

if TYPE_CHECKING:
    PoolSettingsIn = BaseModel
    PoolSettingsOut = BaseModel
else:
    PoolSettingsIn = settings_in("PoolSettingsIn", Pool, SETTINGS, WORDS)
    PoolSettingsOut = settings_out("PoolSettingsOut", Pool, SETTINGS, WORDS)


class PoolIn(PoolSettingsIn):
    """A new pool. Settings that you leave out have their defaults."""

    slug: Slug40 = Field(description="Identifies the pool. It can't be changed later.")
    account: Slug40 | None = Field(
        None, description="The account's slug. Omit it for a pool of the platform itself."
    )
    reason: Line = Field("", description="Why, for the audit log.")


class PoolChangeIn(PoolSettingsIn):
    """The settings to change. Settings that you leave out stay as they are."""

    reason: Line = Field("", description="Why, for the audit log.")


class OptionalReasonIn(BaseModel):
    """Why, for the audit log."""

    model_config = STRICT

    reason: Line = ""


class RequiredReasonIn(BaseModel):
    """Why, for the audit log."""

    model_config = STRICT

    reason: Reason


class Counts(BaseModel):
    """A pool's current figures; offered, carried and blocked are since the pool was created."""

    idle_up: int
    idle_down: int
    busy_up: int
    busy_down: int
    quarantined: int
    resting: int
    pickable: int
    offered: int
    carried: int
    carried_in: int = Field(description="Inbound calls, counted separately.")
    blocked: int
    waiting: int


class PoolOut(PoolSettingsOut):
    """A pool with its settings and current figures."""

    slug: str
    account: str | None
    status: Literal["open", "paused", "recovering", "lost"]
    status_reason: str
    numbers: int
    counts: Counts | None = Field(description="Null if Redis has lost the pool.")
    home_country: str = Field(description="The country of numbers without a country code.")
    as_of: int


class ReconciledOut(BaseModel):
    """What the comparison of Redis with SQL found."""

    status: Literal["open", "paused"]
    numbers: int = Field(description="Numbers that Redis had before the repair.")
    differences: dict[str, int] = Field(description="Repaired differences by type.")
