"""The lock: every package pinned by hash, and no address in it."""

import re

import pytest

from tests.house.source import ROOT

PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", re.MULTILINE)
ASKED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)", re.MULTILINE)


def _packages(lock: str) -> list[str]:
    """Return one text per package: its pin, marker and hashes."""
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
def test_all_that_is_asked_for_is_locked(name):
    asked = ASKED.findall((ROOT / "requirements" / f"{name}.in").read_text())
    locked = {pin for pin, _ in PIN.findall((ROOT / "requirements" / f"{name}.txt").read_text())}
    assert {re.sub(r"[._]", "-", word.lower()) for word in asked} - locked == set()


def test_development_uses_the_versions_that_the_product_runs_on():
    base = dict(PIN.findall((ROOT / "requirements" / "base.txt").read_text()))
    dev = dict(PIN.findall((ROOT / "requirements" / "dev.txt").read_text()))
    assert {name: dev.get(name) for name in base} == base
