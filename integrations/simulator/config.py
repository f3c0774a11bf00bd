"""The simulation's configuration, read from a JSON file that `manage.py demo_data` writes."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Mishaps:
    """How often a mishap happens, as the probability for one call or one live list."""

    lost_hangup: float = 0.01
    duplicate_event: float = 0.03
    late_hangup: float = 0.02
    late_seconds: float = 4.0
    restart_every_seconds: float = 600.0
    line_flap_every_seconds: float = 20.0


@dataclass(frozen=True)
class SwitchConfig:
    """One switch: its token and the lines (numbers) that register through it."""

    name: str
    token: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class PoolConfig:
    """One pool, its switches, and the traffic that its agents offer."""

    slug: str
    switches: tuple[SwitchConfig, ...]
    offered_erlangs: float
    mean_call_seconds: float
    agents: tuple[str, ...]
    callee_prefixes: tuple[str, ...] = ("+8613", "+8615", "+8618")
    wait_milliseconds: int = 0
    inbound_share: float = 0.02


@dataclass(frozen=True)
class SimulatorConfig:
    """The whole simulation. `url` is the address of the web server."""

    url: str
    pools: tuple[PoolConfig, ...]
    live_list_seconds: float = 10.0
    register_expires_seconds: int = 300
    mishaps: Mishaps = field(default_factory=Mishaps)


def load_config(path: Path, *, url: str | None = None) -> SimulatorConfig:
    """Return the simulation that `path` describes. `url` overrides its address.

    Raise ValueError with one sentence if the file is invalid.
    """
    try:
        raw = json.loads(path.read_text())
        pools = tuple(_pool(item) for item in raw["pools"])
        return SimulatorConfig(
            url=url or raw["url"],
            pools=pools,
            live_list_seconds=float(raw.get("live_list_seconds", 10.0)),
            register_expires_seconds=int(raw.get("register_expires_seconds", 300)),
            mishaps=Mishaps(**raw.get("mishaps", {})),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} does not describe a simulation: {error!r}.") from error


def _pool(raw: dict[str, Any]) -> PoolConfig:
    others = {key: value for key, value in raw.items() if key != "switches"}
    switches = raw["switches"]
    if not isinstance(switches, list) or not switches:
        raise TypeError("switches is not a list of at least one")
    tuples = {key: tuple(value) for key, value in others.items() if isinstance(value, list)}
    pool = PoolConfig(
        **{**others, **tuples},
        switches=tuple(
            SwitchConfig(item["name"], item["token"], tuple(item["lines"])) for item in switches
        ),
    )
    if not (pool.offered_erlangs > 0 and pool.mean_call_seconds > 0):
        raise ValueError("offered_erlangs and mean_call_seconds must be greater than 0")
    if not pool.agents or not pool.callee_prefixes:
        raise ValueError("agents and callee_prefixes must not be empty")
    if any(not switch.lines for switch in pool.switches):
        raise ValueError("a switch without lines")
    return pool
