"""The code that users copy to verify a webhook accepts only what the platform signs."""

import base64
import json
import subprocess
from collections.abc import Callable

import pytest

from integrations.webhooks.verify import verify
from poolsite.operations import outgoing
from tests.house.source import ROOT

pytestmark = pytest.mark.processes
BODY = '{"id":"evt_1","name":"Zoë 雪"}'.encode()
NOW = 1_795_000_000
NODE = """
import { verify } from "%s";
let text = "";
for await (const part of process.stdin) text += part;
const { secret, body, signature, now } = JSON.parse(text);
console.log(verify(secret, Buffer.from(body, "base64"), signature, now));
"""
Verify = Callable[[str, bytes, str], bool]


def in_python(secret: str, body: bytes, signature: str) -> bool:
    return verify(secret, body, signature, now=NOW)


def in_node(secret: str, body: bytes, signature: str) -> bool:
    given = {
        "secret": secret,
        "body": base64.b64encode(body).decode(),
        "signature": signature,
        "now": NOW,
    }
    script = NODE % (ROOT / "integrations/webhooks/verify.mjs").as_uri()
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip() == "true"


@pytest.fixture(params=[in_python, in_node], ids=["python", "node"])
def verifies(request: pytest.FixtureRequest) -> Verify:
    found: Verify = request.param
    return found


@pytest.mark.parametrize("age", [0, 299, -299])
def test_what_was_signed_lately_with_one_of_the_secrets_is_taken(
    verifies: Verify, age: int
) -> None:
    assert verifies("s1", BODY, outgoing.sign(["s1"], BODY, NOW - age))
    both = outgoing.sign(["new", "s1"], BODY, NOW - age)
    assert verifies("s1", BODY, both)
    assert verifies("new", BODY, both)


def test_everything_else_is_refused(verifies: Verify) -> None:
    good = outgoing.sign(["s1"], BODY, NOW)
    at, _, digest = good.partition(",v1=")
    for secret, body, signature in (
        ("s2", BODY, good),
        ("s1", BODY + b" ", good),
        ("s1", BODY, outgoing.sign(["s1"], BODY, NOW - 301)),
        ("s1", BODY, outgoing.sign(["s1"], BODY, NOW + 301)),
        ("s1", BODY, ""),
        ("s1", BODY, at),
        ("s1", BODY, f"v1={digest}"),
        ("s1", BODY, f"{at},v1="),
        ("s1", BODY, f"{at},v1=é"),
        ("s1", BODY, f"{at},v0={digest}"),
        ("s1", BODY, f"t=,v1={digest}"),
        ("s1", BODY, f"t={'9' * 40},v1={digest}"),
        ("s1", BODY, f"t={NOW + 1},v1={digest}"),
        ("s1", BODY, f"{at},v1={digest[:-1]}"),
    ):
        assert not verifies(secret, body, signature), signature
