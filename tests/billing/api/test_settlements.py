"""POST …/settlements and …/sessions: reports move money once, whichever caller sends them."""

from typing import Any

import pytest

from billing import servers
from billing import wallet as commands
from poolsite.access.services import token_create
from tests.billing.api.shop import Caller, Shop, text_message
from tests.numbers.people import in_thread


@pytest.fixture
def gateway(caller: Caller, shop: Shop) -> Caller:
    return caller.at(shop.gateway)


def report(message_id: str, mode: str | None = "native_text", **given: Any) -> dict[str, Any]:
    body = {"message_id": message_id, "final": True, "delivered": mode is not None, "mode": mode}
    return body | given


async def sent(caller: Caller, *ids: str, **given: Any) -> None:
    items = [text_message(each, sent=True, **given) for each in ids]
    answers = (await caller.post("holds", items)).json()
    assert {item["state"] for item in answers} == {"sent"}


async def test_a_delivery_keeps_the_price_of_its_mode_and_returns_the_rest(
    caller: Caller, gateway: Caller, shop: Shop
) -> None:
    await sent(caller, "m-1", "m-2")
    first = await gateway.post("settlements", report("m-1"))
    assert first.status_code == 200
    told = first.json()
    assert (told["outcome"], told["charged"], told["spendable"]) == (
        *("settled", "0.0800"),
        "99.8000",
    )
    video = (await gateway.post("settlements", report("m-2", "video"))).json()
    assert (video["charged"], video["spendable"]) == ("0.1200", "99.8000")
    await in_thread(shop.check)()


async def test_a_failure_returns_all_and_an_interim_report_nothing(
    caller: Caller, gateway: Caller
) -> None:
    await sent(caller, "m-1")
    interim = report("m-1", final=False, delivered=False)
    assert (await gateway.post("settlements", interim)).json()["outcome"] == "noted"
    failed = (await gateway.post("settlements", report("m-1", None))).json()
    assert (failed["outcome"], failed["spendable"]) == ("failed", "100.0000")


async def test_a_report_again_moves_nothing_and_another_is_listed(
    caller: Caller, gateway: Caller, shop: Shop
) -> None:
    await sent(caller, "m-1")
    await gateway.post("settlements", report("m-1"))
    before = await in_thread(shop.balance)()
    again = await gateway.post("settlements", report("m-1"))
    assert (again.status_code, again.json()["flag"]) == (200, "repeat")
    other = await gateway.post("settlements", report("m-1", "video"))
    assert (other.status_code, other.json()["flag"]) == (200, "contradiction")
    assert (await in_thread(shop.balance)()).bal == before.bal


@pytest.mark.parametrize("mode", ["hologram", "", None, "native text", "call", "短信"])
async def test_a_delivery_without_a_readable_mode_moves_nothing_and_is_listed(
    caller: Caller, gateway: Caller, shop: Shop, mode: str | None
) -> None:
    await sent(caller, "m-1")
    told = await gateway.post("settlements", report("m-1", mode, delivered=True))
    assert (told.status_code, told.json()["flag"]) == (200, "unreadable")
    assert (await in_thread(shop.balance)()).held == 1_200


async def test_a_mode_outside_the_quote_costs_its_tariff_price_at_most_the_quote(
    caller: Caller, gateway: Caller
) -> None:
    await sent(caller, "m-1", "m-2")
    told = (await gateway.post("settlements", report("m-1", "yuexin_resolved"))).json()
    assert (told["flag"], told["charged"]) == ("unexpected mode", "0.1200")
    cheap = (await gateway.post("settlements", report("m-2", "yuexin_unresolved"))).json()
    assert (cheap["flag"], cheap["charged"]) == ("unexpected mode", "0.0450")


async def test_an_early_report_is_parked_and_settles_the_hold_that_comes(
    caller: Caller, gateway: Caller, shop: Shop
) -> None:
    parked = await gateway.post("settlements", report("m-1"))
    assert (parked.status_code, parked.json()["outcome"]) == (202, "parked")
    assert (await in_thread(shop.balance)()).bal == 1_000_000
    held = await caller.hold("m-1")
    assert (held.status_code, held.json()["outcome"], held.json()["charged"]) == (
        *(200, "settled"),
        "0.0800",
    )
    interim = await gateway.post("settlements", report("m-9", final=False))
    assert (interim.status_code, interim.json()["outcome"]) == (202, "unknown")


async def test_parked_reports_are_bounded(gateway: Caller, shop: Shop) -> None:
    command = commands.configure(shop.slug, commands.WalletSettings(parked_limit=2))
    await in_thread(servers.path(shop.wallet).run)(command)
    answers = await gateway.post("settlements", [report(f"m-{index}") for index in range(3)])
    assert [item["status"] for item in answers.json()] == [202, 202, 503]


async def test_reports_come_from_the_platform_s_gateway_alone(
    caller: Caller, gateway: Caller, shop: Shop
) -> None:
    await sent(caller, "m-1")

    def own() -> str:
        return token_create(name="clever", account=shop.account, resources=["*"], actor="test")[1]

    for secret in (shop.token, await in_thread(own)()):
        refused = await caller.at(secret).post("settlements", report("m-1", None))
        assert (refused.status_code, refused.json()["type"]) == (403, "forbidden")
    assert (await in_thread(shop.balance)()).held == 1_200
    assert (await gateway.post("settlements", report("m-1", None))).status_code == 200


async def test_a_batch_of_reports_is_answered_item_by_item(
    caller: Caller, gateway: Caller, shop: Shop
) -> None:
    ids = [f"m-{index}" for index in range(100)]
    await sent(caller, *ids)
    batch: list[Any] = [report(each) for each in ids]
    batch[7] = {"message_id": "m-7", "final": "yes"}
    batch[8] = {"message_id": "m 8", "final": True, "delivered": False}
    answers = (await gateway.post("settlements", batch)).json()
    assert [item["status"] for item in answers] == [200] * 7 + [422, 422] + [200] * 91
    balance = await in_thread(shop.balance)()
    assert (balance.held, balance.bal) == (2 * 1_200, 1_000_000 - 98 * 800 - 2 * 1_200)
    await in_thread(shop.check)()


# -- session messages --------------------------------------------------------------------------


async def test_a_session_message_is_charged_at_once_and_once(caller: Caller) -> None:
    body = {"message_id": "up-1", "text": "hello?"}
    first = await caller.post("sessions", body)
    assert (first.status_code, first.json()["outcome"], first.json()["charged"]) == (
        *(200, "settled"),
        "0.3000",
    )
    again = (await caller.post("sessions", body)).json()
    assert (again["outcome"], again["spendable"]) == ("repeat", "99.7000")
    other = await caller.post("sessions", body | {"text": "other"})
    assert (other.status_code, other.json()["type"]) == (422, "other-body")


async def test_a_session_message_that_cannot_be_paid_waits_for_a_recharge(
    caller: Caller, shop: Shop
) -> None:
    batch = [{"message_id": f"up-{index}"} for index in range(334)]
    answers = (await caller.post("sessions", batch)).json()
    assert [item["status"] for item in answers] == [200] * 333 + [402]
    assert (answers[-1]["outcome"], answers[-1]["state"]) == ("unpaid", "unpaid")
    again = await caller.post("sessions", batch[-1])
    assert (again.status_code, again.json()["type"]) == (402, "insufficient-balance")
    await in_thread(shop.pay_in)(10_000)
    paid = await in_thread(servers.path(shop.wallet).run)(commands.pay_unpaid(shop.slug))
    assert paid.message_ids == ("up-333",)
    assert (await caller.post("sessions", batch[-1])).status_code == 200


# -- reading -----------------------------------------------------------------------------------


async def test_the_balance_and_a_message_can_be_read(caller: Caller, gateway: Caller) -> None:
    await sent(caller, "m/1?#é"[:5])
    response = await caller.get("balance")
    assert response.status_code == 200
    balance = response.json()
    assert (balance["spendable"], balance["held"], balance["currency"]) == (
        *("99.8800", "0.1200"),
        "CNY",
    )
    assert (balance["status"], balance["open_holds"]) == ("open", 1)
    message = (await caller.get("messages/m/1%3F%23")).json()
    assert (message["state"], message["quoted"], message["kind"]) == ("sent", "0.1200", "message")
    assert message["prices"] == {"native_text": "0.0800", "video": "0.1200"}
    for unknown in ("m-2", "x" * 81, "a%0D%0Ab%C2%85"):
        missing = await caller.get(f"messages/{unknown}")
        assert (missing.status_code, missing.json()["type"]) == (404, "unknown-message"), unknown
