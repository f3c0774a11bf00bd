"""The simulation's groups: the part `groups` of the simulation file."""

import json
from dataclasses import dataclass
from pathlib import Path

from integrations.dispatch_client import Settings


@dataclass(frozen=True)
class GroupConfig:
    """One group.

    `fronts` are pairs (ID, profile). `pool`, `switch`: where instances get numbers.
    """

    slug: str
    token: str
    fronts: tuple[tuple[str, str], ...]
    instances: tuple[str, ...]
    version: str
    capacity: int
    session_seconds: float
    sessions_per_second: float
    pool: str = ""
    switch: str = ""
    pool_token: str = ""


@dataclass(frozen=True)
class Mishaps:
    """The mean interval of each kind of mishap in the group; 0 means never."""

    flap_every_seconds: float = 30.0
    front_restart_every_seconds: float = 0.0
    instance_death_every_seconds: float = 0.0


def read_config(path: Path, slug: str) -> GroupConfig:
    """Return one group of the file.

    Raise ValueError with one sentence if it is missing or invalid.
    """
    raw = json.loads(path.read_text())
    try:
        found = next(each for each in raw["groups"] if each["slug"] == slug)
        fronts = tuple((each["id"], each["profile"]) for each in found["fronts"])
        rest = {name: value for name, value in found.items() if name not in ("fronts", "instances")}
        return GroupConfig(fronts=fronts, instances=tuple(found["instances"]), **rest)
    except StopIteration:
        raise ValueError(f"{path} has no group {slug}.") from None
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} does not describe the group {slug}: {error!r}.") from error


def settings_of(config: GroupConfig, url: str) -> Settings:
    """Return how peers reach the group: the platform's address with ws in place of http."""
    server = url.rstrip("/").replace("http", "ws", 1)
    return Settings(servers=[server], group=config.slug, token=config.token)
