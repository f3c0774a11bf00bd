"""Calls of a charged pool over HTTP: held first, settled when they begin, otherwise returned."""

import asyncio
import itertools
from typing import Any

import pytest

from billing import servers
from billing import wallet as commands
from billing.services.tariffs import tariff_create
from numbers import pool as pool_commands
from numbers import services
from numbers.api import charging
from numbers.api import waiting as waiting_calls
from numbers.api.directory import POOLS
from numbers.models import Pool
from poolsite import hotpath
from tests.billing.api.shop import make_shop
from tests.billing.calls.call_support import PRICE, Line
from tests.numbers.people import in_thread, make_pool, send, tenant, token_for
from tests.numbers.test_api_events import Caller
from tests.support.waiting import eventually


async def call(switch: Caller, call_id: str, **given: Any) -> Any:
    return await switch.post({"event": "call", "call_id": call_id, "switch": "fs1", **given})


async def test_a_call_is_charged_for_its_first_interval(switch: Caller, line: Line) -> None:
    response = await call(switch, "a")
    assert (response.status_code, response.json()["state"]) == (200, "busy+up")
    assert await in_thread(line.states)() == [("1", "settled")]
    assert await in_thread(line.spent)() == PRICE
    assert [note[:4] for note in await in_thread(line.notes)()] == ["c 2,"]
    await in_thread(line.shop.check)()


async def test_the_same_call_again_is_not_charged_again(switch: Caller, line: Line) -> None:
    first = (await call(switch, "a")).json()
    again = (await call(switch, "a")).json()
    assert (again["number"], again["reason"]) == (first["number"], "repeat")
    assert await in_thread(line.spent)() == PRICE


async def test_twenty_at_once_with_one_id_are_one_call_and_one_charge(
    switch: Caller, line: Line
) -> None:
    answers = await asyncio.gather(*(call(switch, "a") for _ in range(20)))
    assert {answer.json()["number"] for answer in answers} == {"+8613800000000"}
    assert await in_thread(line.spent)() == PRICE
    states = [state for _, state in await in_thread(line.states)()]
    assert states.count("settled") == 1
    assert set(states) <= {"settled", "failed"}
    await in_thread(line.shop.check)()


async def test_an_exhausted_pool_gives_the_hold_back_and_counts_one_blocked(
    switch: Caller, line: Line
) -> None:
    for index in range(3):
        assert (await call(switch, f"{index}")).status_code == 200
    refused = await call(switch, "late")
    assert (refused.status_code, refused.json()["type"]) == (409, "exhausted")
    assert await in_thread(line.spent)() == 3 * PRICE
    assert (await in_thread(line.shop.balance)()).held == 0
    assert (await _figures(line)).blocked == 1


async def _figures(line: Line) -> Any:
    return await in_thread(hotpath.run)(pool_commands.show(line.slug))


async def test_a_refused_hold_is_402_and_no_blocked_call(switch: Caller, line: Line) -> None:
    command = commands.move(line.shop.slug, "out", "debit", 1_000_000 - PRICE + 1)
    await in_thread(servers.path(line.shop.wallet).run)(command)
    refused = await call(switch, "a")
    assert (refused.status_code, refused.json()["type"]) == (402, "insufficient-balance")
    assert refused.json()["detail"] == "insufficient balance"
    figures = await _figures(line)
    assert (figures.blocked, figures.busy_up) == (0, 0)
    assert await in_thread(line.notes)() == []


async def test_a_frozen_account_calls_nobody(switch: Caller, line: Line) -> None:
    command = commands.status(line.shop.slug, "frozen", "test", "op")
    await in_thread(servers.path(line.shop.wallet).run)(command)
    refused = await call(switch, "a")
    assert (refused.status_code, refused.json()["type"]) == (409, "account-frozen")


async def test_a_pool_that_nobody_pays_for_answers_402(switch: Caller, line: Line) -> None:
    platform = await in_thread(make_pool)("bare", numbers=1, first=13_900_000_000, charged=True)
    poor = await in_thread(tenant)("poor")
    walletless = await in_thread(make_pool)(
        "poor", numbers=1, first=13_700_000_000, charged=True, account=poor.account
    )
    for pool in (platform, walletless):
        caller = Caller(switch._client, await in_thread(token_for)(pool))
        refused = await caller.post(
            {"event": "call", "call_id": "a"}, path=f"/api/v1/pools/{pool.slug}/events"
        )
        assert (refused.status_code, refused.json()["type"]) == (402, "payment-required")


async def test_a_tariff_without_calls_refuses_them(switch: Caller, line: Line) -> None:
    def other() -> Pool:
        shop = make_shop("texts", tariff=False)
        prices = {"video": {"unit_price": 1}}
        tariff_create(actor="test", account=shop.account, name="texts", prices=prices)
        return make_pool(
            "texts", numbers=1, first=13_600_000_000, charged=True, account=shop.account
        )

    pool = await in_thread(other)()
    caller = Caller(switch._client, await in_thread(token_for)(pool))
    refused = await caller.post(
        {"event": "call", "call_id": "a"}, path="/api/v1/pools/texts/events"
    )
    assert (refused.status_code, refused.json()["type"]) == (422, "no-tariff")


async def test_a_call_without_an_id_and_a_voucher_of_one_s_own_buy_nothing(
    switch: Caller, line: Line
) -> None:
    nameless = await switch.post({"event": "call"})
    assert (nameless.status_code, nameless.json()["type"]) == (422, "malformed")
    await in_thread(hotpath.run)(pool_commands.voucher(line.slug, "mine", 60))
    with_own = await call(switch, "a", paid="mine")
    assert with_own.status_code == 200
    assert await in_thread(line.spent)() == PRICE
    assert send(line.slug, "call", call_id="b", paid="nothing").reason == "charge first"


async def test_a_batch_keeps_its_order_and_charges_each_call(switch: Caller, line: Line) -> None:
    batch = [
        {"event": "call", "call_id": "a"},
        {"event": "call", "call_id": "b"},
        {"event": "hangup", "call_id": "a"},
        {"event": "call", "call_id": "c"},
        {"event": "call", "call_id": "a"},
        {"event": "call"},
        {"event": "reg", "number": "+8613800000000"},
    ]
    answers = (await switch.post(batch)).json()
    assert [item["status"] for item in answers] == [200, 200, 200, 200, 409, 422, 200]
    assert answers[4]["reason"] == "ended"
    assert await in_thread(line.spent)() == 3 * PRICE
    await in_thread(line.shop.check)()


async def test_a_call_that_waits_is_charged_when_it_gets_a_number(
    switch: Caller, line: Line
) -> None:
    for index in range(3):
        await call(switch, f"{index}")
    waiting = asyncio.ensure_future(call(switch, "patient", wait_ms=20_000))

    async def waits() -> bool:
        return (await _figures(line)).waiting > 0

    await eventually(waits)
    assert (await in_thread(line.shop.balance)()).held == PRICE
    await switch.post({"event": "hangup", "call_id": "0"})
    assert (await waiting).status_code == 200
    assert await in_thread(line.spent)() == 4 * PRICE
    assert (await in_thread(line.shop.balance)()).held == 0


async def test_a_call_that_waited_in_vain_costs_nothing(switch: Caller, line: Line) -> None:
    for index in range(3):
        await call(switch, f"{index}")
    refused = await call(switch, "late", wait_ms=100)
    assert (refused.status_code, refused.json()["type"]) == (409, "exhausted")
    assert await in_thread(line.spent)() == 3 * PRICE
    assert (await in_thread(line.shop.balance)()).held == 0


async def test_a_client_that_leaves_while_it_waits_pays_nothing(switch: Caller, line: Line) -> None:
    for index in range(3):
        await call(switch, f"{index}")
    ref = await POOLS.get(line.slug)
    assert ref is not None
    event = pool_commands.Event.of("call", call_id="gone", wait_ms=30_000)
    waiting = asyncio.ensure_future(
        charging.call(ref, event, lambda event: waiting_calls.call(line.slug, event))
    )
    await _held(line, PRICE)
    waiting.cancel()
    await _held(line, 0)
    assert await in_thread(line.spent)() == 3 * PRICE
    assert not [note for note in await in_thread(line.notes)() if note.startswith("v ")]


async def _held(line: Line, amount: int) -> None:
    async def is_held() -> bool:
        return (await in_thread(line.shop.balance)()).held == amount

    await eventually(is_held)


async def test_a_pool_that_is_free_asks_nobody(switch: Caller, line: Line) -> None:
    await in_thread(services.pool_configure)(actor="test", pool=line.pool, charged=False)
    numbers = itertools.count()

    async def is_free() -> bool:
        number, before = next(numbers), await in_thread(line.spent)()
        response = await call(switch, f"free-{number}")
        assert response.status_code == 200
        await switch.post({"event": "hangup", "call_id": f"free-{number}"})
        return bool(await in_thread(line.spent)() == before)

    await eventually(is_free)  # the web process notices within about a second


@pytest.mark.parametrize("reason", ["paused", "resting"])
async def test_a_call_that_the_pool_forbids_costs_nothing(
    switch: Caller, line: Line, reason: str
) -> None:
    if reason == "paused":
        await in_thread(services.pool_pause)(actor="test", pool=line.pool, reason="test")
        refused = await call(switch, "a")
    else:
        values = {"actor": "test", "pool": line.pool, "cooldown_seconds": 3_600}
        await in_thread(services.pool_configure)(**values)
        number = (await call(switch, "first")).json()["number"]
        await switch.post({"event": "hangup", "call_id": "first"})
        refused = await call(switch, "a", number=number)
    assert (refused.status_code, refused.json()["reason"]) == (409, reason)
    balance = await in_thread(line.shop.balance)()
    assert balance.held == 0
    assert await in_thread(line.spent)() == (0 if reason == "paused" else PRICE)
