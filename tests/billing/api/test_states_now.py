"""What a 200 means to a sender, held and charged amounts kept apart, states as of now."""

from decimal import Decimal

import pytest

from billing import servers
from billing import wallet as commands
from tests.billing.api.shop import Caller, Shop
from tests.numbers.people import in_thread
from tests.support.clock import ScriptClock

PERIOD, STEP = 120, 30


async def report(caller: Caller, shop: Shop, message_id: str, *, delivered: bool) -> None:
    body = {"message_id": message_id, "final": True, "delivered": delivered}
    if delivered:
        body["mode"] = "native_text"
    assert (await caller.at(shop.gateway).post("settlements", body)).status_code == 200


@pytest.mark.parametrize(
    ("end", "status", "kind"),
    [("cancelled", 409, "cancelled"), ("failed", 409, "refused"), ("settled", 200, None)],
)
async def test_a_hold_to_send_is_refused_once_its_message_can_never_be_sent(
    caller: Caller, shop: Shop, end: str, status: int, kind: str | None
) -> None:
    await caller.hold("m-1", sent=end != "cancelled")
    if end == "cancelled":
        await caller.post("cancellations", {"message_id": "m-1"})
    else:
        await report(caller, shop, "m-1", delivered=end == "settled")
    again = await caller.hold("m-1", sent=True)
    assert (again.status_code, again.json().get("type")) == (status, kind)
    assert (again.json()["state"], again.json()["held"]) == (end, "0.0000")
    batch = (await caller.post("holds", [{**_body("m-1"), "sent": True}, _body("m-2")])).json()
    assert [each["status"] for each in batch] == [status, 200]
    # Without `sent`, the answer only reports what became of the message.
    looked = await caller.hold("m-1")
    assert (looked.status_code, looked.json()["state"]) == (200, end)
    await in_thread(shop.check)()


def _body(message_id: str) -> dict[str, object]:
    return {
        "message_id": message_id,
        "text": "Hello",
        "fallback": "video",
        "video_kilobytes": 90,
    }


async def test_a_repeated_hold_that_is_sent_now_is_marked_as_sent(
    caller: Caller, shop: Shop
) -> None:
    await caller.hold("m-1")
    again = (await caller.hold("m-1", sent=True)).json()
    assert (again["outcome"], again["state"], again["quoted"]) == ("repeat", "sent", "0.1200")
    assert (await caller.get("messages/m-1")).json()["state"] == "sent"
    late = await caller.post("cancellations", {"message_id": "m-1"})
    assert late.json()["type"] == "too-late"


async def test_what_is_held_is_not_called_charged(caller: Caller, shop: Shop) -> None:
    held = (await caller.hold("m-1", sent=True)).json()
    assert (held["held"], held["charged"]) == ("0.1200", "0.0000")
    found = (await caller.get("messages/m-1")).json()
    assert (found["held"], found["charged"]) == ("0.1200", "0.0000")
    await report(caller, shop, "m-1", delivered=True)
    found = (await caller.get("messages/m-1")).json()
    assert (found["held"], found["charged"]) == ("0.0000", "0.0800")


@pytest.mark.parametrize(("sent", "state"), [(False, "cancelled"), (True, "expired")])
async def test_a_message_past_its_time_has_ended_before_anybody_sweeps(
    test_clock: ScriptClock, caller: Caller, shop: Shop, sent: bool, state: str
) -> None:
    soon = commands.WalletSettings(unsent_message_seconds=PERIOD, report_seconds=PERIOD)
    await in_thread(servers.path(shop.wallet).run)(commands.configure(shop.slug, soon))
    await caller.hold("m-1", sent=sent)
    for number in range(PERIOD // STEP):  # the clock is believed as long as requests come
        await in_thread(test_clock.advance)(STEP)
        await caller.hold(f"other-{number}", sent=True)
    before = (await caller.get("messages/m-1")).json()
    assert (before["state"], before["held"]) == ("sent" if sent else "held", "0.1200")
    held = (await in_thread(shop.balance)()).held
    await in_thread(test_clock.advance)(STEP)
    found = (await caller.get("messages/m-1")).json()
    assert (found["state"], found["held"], found["charged"]) == (state, "0.0000", "0.0000")
    assert found["since"] == before["since"] + PERIOD * 1_000_000
    # Reading a message has written nothing. Reading the balance first returns what has expired.
    assert (await in_thread(shop.balance)()).held == held
    now = (await caller.get("balance")).json()
    assert (now["held"], now["open_holds"]) == ("0.4800", PERIOD // STEP)
    spendable = Decimal(now["spendable"]) + Decimal(now["held"])
    assert spendable == Decimal("100.0000")
    await in_thread(shop.check)()
