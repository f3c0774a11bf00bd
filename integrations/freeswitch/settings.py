"""The daemon's configuration: one TOML file, with secrets in separate files if wanted."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_NAME = re.compile(r"[^\x00-\x20\x7f]{1,64}")


class SettingsError(Exception):
    """The configuration is invalid. The text states what to change."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The daemon's settings. The table in the README explains each of them."""

    url: str
    pool: str
    token: str = field(repr=False)
    switch: str
    password: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8021
    number_pattern: re.Pattern[str] = re.compile(r"\+?[0-9]{3,32}")
    multiple_registrations: bool = False
    gateways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    live_seconds: float = 10.0
    registrations_seconds: float = 300.0
    every_event: bool = False
    reply_seconds: float = 10.0
    reports_limit: int = 100_000

    @property
    def pushes_url(self) -> str:
        """The websocket on which the platform reports which calls must end."""
        return f"ws{self.url.removeprefix('http')}/ws/pools/{self.pool}/events/"


_PLACES: dict[str, dict[str, str]] = {
    "platform": {"url": "url", "pool": "pool", "token": "token"},
    "freeswitch": {
        "switch": "switch",
        "host": "host",
        "port": "port",
        "password": "password",
        "every_event": "every_event",
        "reply_seconds": "reply_seconds",
    },
    "lines": {"pattern": "number_pattern", "multiple_registrations": "multiple_registrations"},
    "timing": {"live_seconds": "live_seconds", "registrations_seconds": "registrations_seconds"},
    "limits": {"reports": "reports_limit"},
}
_SECRETS = ("token", "password")
_TYPES: dict[str, type] = {
    "port": int,
    "every_event": bool,
    "multiple_registrations": bool,
    "reports_limit": int,
    "live_seconds": float,
    "registrations_seconds": float,
    "reply_seconds": float,
}
_RANGES = {
    "port": (1, 65_535),
    "live_seconds": (0.05, 20),  # a switch that is silent for 30 s counts as dead
    "registrations_seconds": (0.05, 86_400),
    "reply_seconds": (0.5, 60),
    "reports_limit": (1_000, 10_000_000),
}


def load_settings(path: Path) -> Settings:
    """Read a configuration. Raise SettingsError with one sentence for the author of the file."""
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from None
    try:
        return _settings(read, path.parent)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def _settings(read: Mapping[str, Any], folder: Path) -> Settings:
    values: dict[str, Any] = {"gateways": _gateways(read.get("gateways", {}))}
    for section, given in read.items():
        if section == "gateways":
            continue
        if section not in _PLACES or not isinstance(given, dict):
            raise SettingsError(f"[{section}] is unknown; there are {', '.join(_PLACES)}, gateways")
        for name, value in given.items():
            _take(values, section, name, value, folder)
    for section, names in _PLACES.items():
        for name, target in names.items():
            if target in ("url", "pool", "token", "switch", "password") and target not in values:
                raise SettingsError(f"[{section}] {name} is missing")
    _check(values)
    return Settings(**values)


def _take(values: dict[str, Any], section: str, name: str, value: Any, folder: Path) -> None:
    secret = name.removesuffix("_file")
    if name != secret and secret in _SECRETS and secret in _PLACES[section]:
        try:
            value = (folder / str(value)).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise SettingsError(f"[{section}] {name}: {error}") from None
        name = secret
    target = _PLACES[section].get(name)
    if target is None:
        raise SettingsError(f"[{section}] {name} is unknown")
    wanted = _TYPES.get(target, str)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise SettingsError(f"[{section}] {name} must be {_NAMES[wanted]}")
    values[target] = value


_NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def _check(values: dict[str, Any]) -> None:
    for name, (least, most) in _RANGES.items():
        if name in values and not least <= values[name] <= most:
            raise SettingsError(f"{name} must be between {least} and {most}")
    values["url"] = values["url"].rstrip("/")
    if not re.fullmatch(r"https?://[^\s/?#]+", values["url"]):
        raise SettingsError("[platform] url must look like https://console.example.com")
    if not re.fullmatch(r"[a-z0-9-]{1,40}", values["pool"]):
        raise SettingsError("[platform] pool must be the pool's slug")
    if not _NAME.fullmatch(values["switch"]):
        raise SettingsError("[freeswitch] switch must be 1 to 64 characters without spaces")
    for name in _SECRETS:
        if not values[name] or not values[name].isascii() or not values[name].isprintable():
            raise SettingsError(f"{name} must be printable ASCII text")
    if "number_pattern" in values:
        try:
            values["number_pattern"] = re.compile(values["number_pattern"])
        except re.error as error:
            raise SettingsError(f"[lines] pattern: {error}") from None


def _gateways(read: Any) -> dict[str, tuple[str, ...]]:
    """Return the [gateways] table: each gateway's name and the numbers that it registers."""
    if not isinstance(read, dict):
        raise SettingsError("[gateways] must be a table: name = [numbers]")
    gateways: dict[str, tuple[str, ...]] = {}
    for name, numbers in read.items():
        fits = isinstance(numbers, list) and all(
            isinstance(each, str) and re.fullmatch(r"\+?[0-9]{3,32}", each) for each in numbers
        )
        if not fits or not _NAME.fullmatch(name):
            raise SettingsError(f"[gateways] {name} must be a list of numbers as text")
        gateways[name] = tuple(numbers)
    return gateways
