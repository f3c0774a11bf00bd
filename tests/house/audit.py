"""`make check`: compare the packages of the locks with the known vulnerabilities.

One request asks for all packages at a service with OSV's API (its documentation: POST
/v1/querybatch, GET /v1/vulns/{id}); AUDIT_URL names another. If the service can't be reached, as on
a machine without the internet, the step prints NOT RUN and does not fail. A vulnerability that does
not concern us is listed in requirements/accepted-vulnerabilities.toml with a reason and a last day.
"""

import os
import sys
import threading
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import httpx

from tests.house.lock import pins
from tests.house.source import ROOT

SERVICE = "https://api.osv.dev/v1"
ACCEPTED = ROOT / "requirements" / "accepted-vulnerabilities.toml"
REACH_SECONDS = 4.0  # includes the name lookup, which no socket timeout limits


class UnreachableError(Exception):
    """No vulnerability data is available. The text states why."""


@dataclass(frozen=True)
class Vulnerability:
    """A vulnerability of a pinned version. fixed: the versions without it ("" if none is known)."""

    package: str
    version: str
    names: tuple[str, ...]  # its ID first, then its aliases
    fixed: str = ""
    summary: str = ""

    def __str__(self) -> str:
        remedy = f"fixed in {self.fixed}" if self.fixed else "no fixed version is known"
        said = f"{self.package} {self.version}: {' = '.join(self.names)}, {remedy}"
        return f"{said}. {self.summary}".rstrip(". ")


@dataclass(frozen=True)
class Acceptance:
    """A vulnerability that is accepted until a day, and the reason."""

    id: str
    reason: str
    until: date


def main(url: str = "", today: date | None = None) -> int:
    """Print what was found. Return 1 if a vulnerability is not accepted."""
    packages = sorted(pins("base") | pins("dev"))
    accepted = read_accepted(ACCEPTED.read_text())
    try:
        found = list(audit(url or os.environ.get("AUDIT_URL", SERVICE), packages))
    except UnreachableError as why:
        print(f"NOT RUN: no vulnerability data can be reached ({why}).")
        return 0
    bad = list(judged(found, accepted, today or datetime.now(UTC).date()))
    print("\n".join(bad) or f"{len(packages)} packages, {len(found)} accepted vulnerabilities.")
    return 1 if bad else 0


def read_accepted(text: str) -> list[Acceptance]:
    """Return the file's entries. Each needs id, reason and until."""
    return [Acceptance(**each) for each in tomllib.loads(text).get("accepted", [])]


def judged(
    found: Iterable[Vulnerability], accepted: Iterable[Acceptance], today: date
) -> Iterator[str]:
    """Yield a line for each vulnerability that is not accepted, or no longer."""
    by_name = {each.id: each for each in accepted}
    for each in found:
        known = [by_name[name] for name in each.names if name in by_name]
        if not known:
            yield str(each)
        elif all(acceptance.until < today for acceptance in known):
            yield f"{each} (was accepted until {known[0].until}: {known[0].reason})"


def audit(url: str, packages: list[tuple[str, str]]) -> Iterator[Vulnerability]:
    """Yield every vulnerability of these names and versions. Raise UnreachableError."""
    for (name, version), ids in zip(packages, _ask_in_time(url, packages), strict=True):
        seen: set[str] = set()
        for each in ids:
            about = _about(url, each)
            names = (each, *about.get("aliases", ()))
            if about.get("withdrawn") or seen & set(names):
                continue
            seen |= set(names)
            fixed = ", ".join(_fixed(about, name))
            yield Vulnerability(name, version, names, fixed, about.get("summary", ""))


def _ask_in_time(url: str, packages: list[tuple[str, str]]) -> list[list[str]]:
    answers: list[list[list[str]] | Exception] = []

    def ask() -> None:
        try:
            answers.append(_ask(url, packages))
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            answers.append(error)

    asking = threading.Thread(target=ask, daemon=True)  # the program can end without it
    asking.start()
    asking.join(REACH_SECONDS)
    if not answers:
        raise UnreachableError(f"no answer within {REACH_SECONDS:.0f} s")
    if isinstance(answers[0], Exception):
        raise UnreachableError(str(answers[0]).splitlines()[0])
    return answers[0]


def _ask(url: str, packages: list[tuple[str, str]]) -> list[list[str]]:
    queries = [
        {"package": {"name": name, "ecosystem": "PyPI"}, "version": version}
        for name, version in packages
    ]
    answer = httpx.post(f"{url}/querybatch", json={"queries": queries}, timeout=REACH_SECONDS)
    results = answer.raise_for_status().json()["results"]
    if len(results) != len(packages):
        raise ValueError(f"{len(packages)} packages asked, {len(results)} answered")
    return [[each["id"] for each in result.get("vulns", ())] for result in results]


def _about(url: str, name: str) -> dict[str, Any]:
    """Return the details of a vulnerability.

    Empty if there are none: it is reported all the same.
    """
    try:
        answer = httpx.get(f"{url}/vulns/{name}", timeout=REACH_SECONDS).raise_for_status()
        about: dict[str, Any] = answer.json()
    except (httpx.HTTPError, ValueError):
        return {}
    return about


def _fixed(about: dict[str, Any], package: str) -> list[str]:
    """Return the versions of the package that end a range of affected versions."""
    return [
        event["fixed"]
        for affected in about.get("affected", ())
        if affected.get("package", {}).get("name", "").lower() == package
        for ranges in affected.get("ranges", ())
        if ranges.get("type") == "ECOSYSTEM"
        for event in ranges.get("events", ())
        if "fixed" in event
    ]


if __name__ == "__main__":
    sys.exit(main())
