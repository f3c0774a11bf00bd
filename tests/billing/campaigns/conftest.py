"""Fixtures of the tests of campaigns."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.billing.campaigns.world import TOKEN, GatewayProcess, Sender, sender
from tests.support.parts import starts_processes


@pytest.fixture(scope="session")
@starts_processes
def gateway_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    """A gateway for the session. Its reports have no receiver, so tests report themselves."""
    folder: Path = tmp_path_factory.mktemp("gateway")
    process = GatewayProcess(folder, "http://127.0.0.1:9").start()
    yield process
    process.kill()


@pytest.fixture
def gateway(gateway_process: GatewayProcess, settings: Any) -> GatewayProcess:
    """The gateway, also set in the settings."""
    settings.BILLING_GATEWAY_URL = gateway_process.url
    settings.BILLING_GATEWAY_TOKEN = TOKEN
    return gateway_process


@pytest.fixture
def acme(transactional_db: None, clean_redis: object, request: pytest.FixtureRequest) -> Sender:
    """An account with its own name, so that the session's ledger keeps the tests apart."""
    slug = f"t{abs(hash(request.node.nodeid)) % 10**9}"
    return sender(slug)
