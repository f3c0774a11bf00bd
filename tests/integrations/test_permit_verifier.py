"""Signed permits are checked without a server, using only the standard library."""

import ast
import base64
import hashlib
import hmac
import json
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from integrations.poolsite_client import InvalidPermit, MemoryStore, Verifier

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "poolsite_client"
TOKEN = 1_763_693_000_123_456

KEY, OTHER = "1f" * 32, "2e" * 32
PAYLOAD = {"gate": "g", "holder": "h", "token": TOKEN, "deadline": 2_000_000_000}


def text_of(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def sign(payload: Any = PAYLOAD, key: str = KEY, version: str = "v1") -> str:
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    text = f"{version}.{text_of(raw)}"
    digest = hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).digest()
    return f"{text}.{text_of(digest)}"


def test_a_permit_is_good_until_its_deadline_under_any_of_the_keys() -> None:
    for keys in ([KEY], [OTHER, KEY], [KEY, OTHER]):
        permit = Verifier(keys).check(sign(), gate="g", now=1_999.999)
        assert (permit.holder, permit.token, permit.deadline_us) == ("h", TOKEN, 2_000_000_000)
    for late in (2_000.0, 2_000.1, 9e9):
        with pytest.raises(InvalidPermit, match="expired"):
            Verifier([KEY]).check(sign(), gate="g", now=late)
    with pytest.raises(InvalidPermit, match="expired"):
        Verifier([KEY]).check(sign(), gate="g")  # this machine's own time
    with pytest.raises(InvalidPermit, match="expired"):
        Verifier([KEY]).check(sign(), gate="g", now=float("nan"))


def test_a_permit_tells_its_weight_and_one_that_says_none_has_1() -> None:
    verifier = Verifier([KEY])
    assert verifier.check(sign(), gate="g", now=1.0).weight == 1
    assert verifier.check(sign({**PAYLOAD, "weight": 3}), gate="g", now=1.0).weight == 3


def test_fields_of_a_later_release_are_passed_over() -> None:
    assert Verifier([KEY]).check(sign({**PAYLOAD, "colour": "red"}), gate="g", now=1.0).token


def altered() -> Iterator[tuple[str, str]]:
    good = sign()
    version, payload, signature = good.split(".")
    longer = text_of(json.dumps({**PAYLOAD, "deadline": 9_000_000_000}).encode())
    yield f"{version}.{longer}.{signature}", "wrong signature"
    yield f"{version}.{payload}.{text_of(bytes(32))}", "wrong signature"
    yield sign(key=OTHER), "wrong signature"
    yield sign(version="v2"), "malformed"
    yield good + "=", "malformed"
    yield good + "\n", "malformed"
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    yield good[:-1] + last[last.index(good[-1]) ^ 1], "malformed"  # the same bytes, another text
    yield "v1.e30", "malformed"
    yield "", "malformed"
    yield "v1." + "A" * 2_000 + "." + signature, "malformed"
    for payload_ in (b"{", b"[]", b"null", b"\xff", {}, {**PAYLOAD, "token": "1"}):
        yield sign(payload_), "malformed"
    yield sign({**PAYLOAD, "deadline": True}), "malformed"
    yield sign({**PAYLOAD, "deadline": 2e9}), "malformed"
    yield sign({**PAYLOAD, "task": 7}), "malformed"
    for weight in (0, -1, True, 1.0, "2", None):
        yield sign({**PAYLOAD, "weight": weight}), "malformed"
    yield sign({**PAYLOAD, "gate": "G"}), "wrong gate"


@pytest.mark.parametrize(("text", "reason"), list(altered()))
def test_whatever_was_altered_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InvalidPermit) as refused:
        Verifier([KEY]).check(text, gate="g", now=1.0)
    assert refused.value.reason == reason


@pytest.mark.parametrize("value", [None, 7, b"v1.a.b", ["v1"]])
def test_what_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(InvalidPermit, match="malformed"):
        Verifier([KEY]).check(value, gate="g", now=1.0)


@pytest.mark.parametrize("keys", [[], ["1f"], ["1f" * 33], ["zz" * 32]])
def test_a_verifier_wants_whole_keys(keys: list[str]) -> None:
    with pytest.raises(ValueError):
        Verifier(keys)


def test_a_permit_older_than_the_newest_of_its_holder_is_refused() -> None:
    verifier = Verifier([KEY], store=MemoryStore())
    newer = sign({**PAYLOAD, "token": TOKEN + 1})
    for text in (sign(), sign(), newer, newer, sign({**PAYLOAD, "holder": "@h"})):
        verifier.check(text, gate="g", now=1.0)
    with pytest.raises(InvalidPermit, match="superseded"):
        verifier.check(sign(), gate="g", now=1.0)


def test_a_store_forgets_who_was_not_seen_for_longest_and_serves_threads() -> None:
    store = MemoryStore(most=2)
    for slot in ("a", "b", "a", "c"):
        store.newest(slot, 5)
    assert (store.newest("a", 1), store.newest("b", 1)) == (5, 1)
    several = MemoryStore()

    def see(first: int) -> None:
        assert all(several.newest("x", token) >= token for token in range(first, 2_000, 4))

    threads = [threading.Thread(target=see, args=(first,)) for first in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert several.newest("x", 0) == 1_999


# -- the package ---------------------------------------------------------------------------------


@pytest.mark.processes
def test_the_verifier_needs_the_standard_library_alone(tmp_path: Path) -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())
    (package,) = project["tool"]["setuptools"]["packages"]
    assert project["tool"]["setuptools"]["package-dir"] == {package: "."}
    shutil.copytree(FOLDER, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {package} as client;"
        f"client.Verifier(['{KEY}']).check('{sign()}', gate='g', now=1.0);"
        "others = {name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names;"
        "ours = ('httpx', 'django', 'integrations', 'queueing');"
        "print(sorted(others & set(ours)));"
        "client.Gate, client.AsyncGate, client.Device, client.AsyncDevice;"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & set(ours)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", "['httpx']"]


def test_the_readmes_external_system_does_what_it_says() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    for block in blocks:
        compile(block, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    (external,) = [block for block in blocks if "def serve" in block]
    scope: dict[str, Any] = {"key": KEY}
    exec(external.replace("poolsite_client", "integrations.poolsite_client"), scope)
    deadline = time.time_ns() // 1_000 + 3_600_000_000
    good = sign({**PAYLOAD, "gate": "speed-025", "deadline": deadline})
    assert scope["serve"]({"permit": good}) == (200, f"h until {deadline}")
    assert scope["serve"]({"permit": sign({**PAYLOAD, "gate": "speed-025"})}) == (403, "expired")
    assert scope["serve"]({"permit": good[:-2]}) == (403, "malformed")
