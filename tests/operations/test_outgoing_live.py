"""Calls to URLs that users typed in, in a separate network with an attacker's resolver.

The tests check the connections: whatever the URL, no address inside the network is connected to.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.operations.outgoing_world import INSIDE, PUBLIC, REDIRECTED, REFUSED, TAKEN
from tests.support.waiting import patient

pytestmark = [pytest.mark.prove, pytest.mark.needs("namespaces")]
ROOT = Path(__file__).resolve().parents[2]
IN_A_NETWORK_OF_ITS_OWN = ("unshare", "--map-root-user", "--net", "--mount")


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return url → how the call to it ended, and which addresses were connected to."""
    folder = tmp_path_factory.mktemp("network")
    done = subprocess.run(
        [*IN_A_NETWORK_OF_ITS_OWN, sys.executable, "-m", "tests.operations.outgoing_world", folder],
        cwd=ROOT,
        env=os.environ | {"POOLSITE_DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=patient(120),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {told["url"]: told for told in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("url", TAKEN)
def test_a_public_receiver_gets_its_call(calls: dict[str, Any], url: str) -> None:
    assert (calls[url]["ok"], calls[url]["status"]) == (True, 204)
    assert len(calls[url]["connections"]) == 1
    assert calls[url]["connections"][0].split()[0] in PUBLIC


@pytest.mark.parametrize("url", ["http://rebind.example/", "http://rebind-six.example/"])
def test_a_name_that_changes_its_mind_is_asked_for_once(calls: dict[str, Any], url: str) -> None:
    assert calls[url]["asked"] > 0
    assert not calls[url]["asked_twice"]


@pytest.mark.parametrize("url", REDIRECTED)
def test_a_redirect_into_the_network_is_not_followed(calls: dict[str, Any], url: str) -> None:
    assert calls[url]["status"] == int(url[-3:])
    assert calls[url]["connections"] == [f"{PUBLIC[0]} 80"]


@pytest.mark.parametrize("url", REFUSED)
def test_an_address_inside_the_network_is_refused_unconnected(
    calls: dict[str, Any], url: str
) -> None:
    assert not calls[url]["ok"]
    assert calls[url]["error"]
    assert calls[url]["connections"] == []


def test_somebody_would_have_answered_inside(calls: dict[str, Any]) -> None:
    """With private networks allowed, the same calls arrive: so the tests above can fail."""
    inside = calls["allowed"]["connections"]
    assert {each.split()[0] for each in inside} == {"127.0.0.1", "::1", *INSIDE}
