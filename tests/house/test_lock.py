"""The lock pins every package by hash and contains no URL."""

import json
import re
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.lock import PIN, pins
from tests.house.source import ROOT

ASKED = re.compile(r"^[A-Za-z0-9].*$", re.MULTILINE)


def _packages(lock: str) -> list[str]:
    """Return a text for each package: its pin, marker and hashes."""
    lines = lock.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("name", ["base", "dev"])
def test_every_package_is_pinned_by_version_and_hash(name):
    for package in _packages((ROOT / "requirements" / f"{name}.txt").read_text()):
        assert PIN.match(package), package
        assert "--hash=sha256:" in package, package


@pytest.mark.parametrize("name", ["base", "dev"])
def test_the_lock_holds_no_address(name):
    assert "://" not in (ROOT / "requirements" / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", ["base", "dev"])
def test_the_lock_is_complete(name):
    """`make setup` installs what the lock names and resolves nothing else."""
    assert _needed(name) - {package for package, _ in pins(name)} == set()


def _needed(name: str) -> set[str]:
    """Return the packages that a set requires, with all their dependencies on this machine."""
    text = (ROOT / "requirements" / f"{name}.in").read_text()
    left = [Requirement(line) for line in ASKED.findall(text)]
    seen: set[tuple[str, str]] = set()
    while left:
        asked = left.pop()
        for extra in ("", *asked.extras):
            if (pair := (canonicalize_name(asked.name), extra)) in seen:
                continue
            seen.add(pair)
            needs = map(Requirement, requires(asked.name) or ())
            left += [r for r in needs if not r.marker or r.marker.evaluate({"extra": extra})]
    return {package for package, _ in seen}


def test_every_npm_package_is_pinned_by_hash_and_the_lock_names_no_registry() -> None:
    folder = ROOT / "integrations" / "generated" / "typescript"
    lock = json.loads((folder / "package-lock.json").read_text())
    named = json.loads((folder / "package.json").read_text())
    asked = named["dependencies"] | named["devDependencies"]
    root = lock["packages"].pop("")
    assert root["dependencies"] | root["devDependencies"] == asked
    assert len(lock["packages"]) > len(asked)
    for name, package in lock["packages"].items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name
    for name, version in asked.items():
        assert lock["packages"][f"node_modules/{name}"]["version"] == version
    assert "omit-lockfile-registry-resolved=true" in (folder / ".npmrc").read_text().split()


def test_development_uses_the_versions_that_the_product_runs_on():
    assert pins("base") - pins("dev") == set()
