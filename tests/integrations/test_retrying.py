"""Clients retry after growing, spread pauses, and rarely ask a server that is away."""

import time

import httpx
import pytest

from integrations.simulator.client import PoolClient, UnreachableError
from integrations.simulator.retrying import LONGEST_SECONDS, Reach, pause_seconds


def test_pauses_grow_to_a_bound_and_no_two_clients_share_them() -> None:
    for attempt in (0, 3, 5, 10, 10_000):
        pauses = [pause_seconds(attempt) for _ in range(100)]
        longest = min(0.2 * 2 ** min(attempt, 16), LONGEST_SECONDS)
        assert all(longest / 2 <= pause <= longest for pause in pauses)
        assert len(set(pauses)) > 50


def test_a_server_is_away_after_three_failures_until_the_pause_is_over_or_it_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    reach = Reach()
    reach.failed()
    reach.failed()
    assert not reach.away
    reach.failed()
    assert reach.away
    assert 0 < reach.pause_seconds() <= LONGEST_SECONDS
    now += LONGEST_SECONDS
    assert not reach.away  # one request may try
    reach.failed()
    assert reach.away
    reach.answered()
    assert (reach.away, reach.failures) == (False, 0)


@pytest.mark.parametrize("status", [None, 503, 504, 429])
async def test_a_client_knows_whether_it_was_answered(status: int | None) -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        if status is None:
            raise httpx.ReadTimeout("no answer")
        return httpx.Response(status, json={})

    async with httpx.AsyncClient(
        base_url="http://t", transport=httpx.MockTransport(answer)
    ) as http:
        client = PoolClient(http=http, slug="east", token="t")
        for _ in range(3):
            with pytest.raises(UnreachableError):
                await client.send({"event": "call"})
    assert client.reach.away
