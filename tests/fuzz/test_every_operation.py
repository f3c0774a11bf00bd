"""Every operation of the OpenAPI document, on a real server with real IDs: the document is true.

`FUZZ_SECONDS=1800` runs for that long, with more examples for each operation.
"""

import os
import time
from typing import Any

import pytest
import schemathesis

from tests.fuzz.fuzzing import Fuzz, name_of
from tests.fuzz.recipes import RECIPES
from tests.fuzz.stage import Stage

pytestmark = [pytest.mark.processes, pytest.mark.prove]

SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "3"))
SEED = int(os.environ["SEED"])
OPERATIONS_AT_ONCE = 20  # between two rounds of worker and beat


@pytest.fixture(scope="module")
def operations(stage: Stage) -> list[Any]:
    document = stage.client.get("/api/v1/openapi.json").json()
    schema = schemathesis.openapi.from_dict(document)
    return [result.ok() for result in schema.get_all_operations()]


def test_every_operation_does_what_the_document_says(stage: Stage, operations: list[Any]) -> None:
    assert sorted(map(name_of, operations)) == sorted(RECIPES)
    fuzz = Fuzz(stage)
    until, number = time.monotonic() + SECONDS, SEED  # waits: not; it works for as long as asked
    while True:
        for place, operation in enumerate(operations):
            fuzz.operation(operation, number, EXAMPLES)
            if place % OPERATIONS_AT_ONCE == 0:
                stage.work()
        number += 1
        if time.monotonic() >= until:
            break
    print(f"seed {SEED}: {fuzz.calls.total()} calls, least done: {fuzz.done.most_common()[-5:]}")
    if fuzz.findings.first:
        pytest.fail(str(fuzz.findings), pytrace=False)
    assert fuzz.never_done(operations) == []
    assert stage.faults() == []
    balance = stage.callers["own"].get("accounts/own/balance")
    assert not balance["spendable"].startswith("-")
    assert not balance["held"].startswith("-")
