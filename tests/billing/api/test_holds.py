"""POST …/holds, sent, cancellations: exact answers, statuses and problem types."""

import asyncio
import itertools
import threading
from concurrent.futures import wait
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import servers
from billing import wallet as commands
from billing.api import directory
from billing.models import Message, Tariff, Wallet
from billing.services.chatbots import chatbot_change, chatbot_create
from billing.services.tariffs import tariff_create, tariff_end
from billing.services.templates import template_create
from poolsite.access.models import ApiToken
from poolsite.access.services import token_create, token_revoke
from tests.billing.api.shop import PRICES, Caller, Shop, make_shop, text_message
from tests.numbers.people import in_thread
from tests.support.waiting import eventually, patient

COMPLETE = {
    "name": "Spring",
    "native_text": "Our list",
    "yuexin_text": "短" * 80,
    "yuexin_link": "https://example.com/s",
    "link_registered": True,
    "video_subject": "Spring",
    "video_kilobytes": 150,
}


async def test_a_hold_answers_with_quote_state_and_what_is_left(caller: Caller) -> None:
    response = await caller.hold("m-1")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert body.pop("seq") > 0
    assert body == {
        "message_id": "m-1",
        "outcome": "held",
        "state": "held",
        "quoted": "0.1200",
        "held": "0.1200",
        "charged": "0.0000",
        "spendable": "99.8800",
        "flag": "",
    }


async def test_the_same_id_and_body_is_the_same_hold_and_another_body_a_conflict(
    caller: Caller, shop: Shop
) -> None:
    await caller.hold("m-1")
    again = await caller.hold("m-1", sent=False)
    assert (again.status_code, again.json()["outcome"]) == (200, "repeat")
    other = await caller.hold("m-1", text="Hullo")
    assert (other.status_code, other.json()["type"]) == (422, "other-body")
    assert (await in_thread(shop.balance)()).held == 1_200


async def test_the_first_quote_stands_whatever_the_tariff_does(caller: Caller, shop: Shop) -> None:
    await caller.hold("m-1")

    def dearer() -> None:
        Tariff.objects.update(valid_until=timezone.now())
        prices = PRICES | {"video": {"unit_price": 90_000}}
        tariff_create(actor="test", account=shop.account, name="dear", prices=prices)

    await in_thread(dearer)()
    await _until_quoted(caller, "9.0000")
    assert (await caller.hold("m-1")).json()["quoted"] == "0.1200"


async def _until_quoted(caller: Caller, price: str) -> None:
    """Wait: web processes read a new tariff within about a second."""
    numbers = itertools.count()

    async def is_quoted() -> bool:
        return bool((await caller.hold(f"try-{next(numbers)}")).json()["quoted"] == price)

    await eventually(is_quoted)


async def test_sent_is_marked_at_once_or_later_and_then_cannot_be_cancelled(
    caller: Caller,
) -> None:
    assert (await caller.hold("m-1", sent=True)).json()["state"] == "sent"
    await caller.hold("m-2")
    sent = await caller.post("sent", ["m-1", "m-2", "m-3"])
    assert sent.status_code == 200
    assert [(item["status"], item["outcome"], item["state"]) for item in sent.json()] == [
        (200, "repeat", "sent"),
        (200, "sent", "sent"),
        (404, "unknown", ""),
    ]
    late = await caller.post("cancellations", {"message_id": "m-2"})
    assert (late.status_code, late.json()["type"]) == (409, "too-late")


async def test_a_cancelled_message_is_returned_and_can_never_be_sent(
    caller: Caller, shop: Shop
) -> None:
    await caller.hold("m-1")
    cancelled = await caller.post("cancellations", {"message_id": "m-1"})
    assert (cancelled.status_code, cancelled.json()["spendable"]) == (200, "100.0000")
    again = await caller.post("cancellations", {"message_id": "m-1"})
    assert (again.status_code, again.json()["outcome"]) == (200, "repeat")
    sent = await caller.post("sent", {"message_id": "m-1"})
    assert (sent.status_code, sent.json()["type"]) == (409, "cancelled")
    unknown = await caller.post("cancellations", {"message_id": "m-9"})
    assert (unknown.status_code, unknown.json()["type"]) == (404, "unknown-message")
    await in_thread(shop.check)()


async def test_too_low_a_balance_is_402_and_exactly_enough_is_enough(caller: Caller) -> None:
    small = await in_thread(make_shop)("small", money=1_300)
    at = caller.at(small.token)
    refused = await at.post("holds", text_message("a", video_kilobytes=101), slug="small")
    assert (refused.status_code, refused.json()["type"]) == (402, "insufficient-balance")
    assert refused.json()["spendable"] == "0.1300"
    enough = await at.post("holds", text_message("b"), slug="small")
    assert enough.json()["spendable"] == "0.0100"
    assert (await at.post("holds", text_message("c"), slug="small")).status_code == 402


@pytest.mark.parametrize(
    ("status", "answer", "kind"),
    [
        ("frozen", 409, "account-frozen"),
        ("closed", 409, "account-closed"),
        ("recovering", 503, "safe-mode"),
    ],
)
async def test_a_wallet_that_is_not_open_refuses_holds_and_nothing_else(
    caller: Caller, shop: Shop, status: str, answer: int, kind: str
) -> None:
    await caller.hold("m-1")
    command = commands.status(shop.slug, status, "test", "op-1")
    await in_thread(servers.path(shop.wallet).run)(command)
    refused = await caller.hold("m-2")
    assert (refused.status_code, refused.json()["type"]) == (answer, kind)
    assert (await caller.hold("m-1")).status_code == 200  # repeating it changes nothing
    cancelled = await caller.post("cancellations", {"message_id": "m-1"})
    assert cancelled.json()["spendable"] == "100.0000"


async def test_the_day_s_limit_is_409(caller: Caller, shop: Shop) -> None:
    command = commands.configure(shop.slug, commands.WalletSettings(daily_limit=2_000))
    await in_thread(servers.path(shop.wallet).run)(command)
    assert (await caller.hold("m-1")).status_code == 200
    refused = await caller.hold("m-2")
    assert (refused.status_code, refused.json()["type"]) == (409, "daily-limit")


async def test_a_full_backlog_is_503_and_cancelling_still_works(caller: Caller, shop: Shop) -> None:
    command = commands.configure(shop.slug, commands.WalletSettings(log_limit=1))
    await in_thread(servers.path(shop.wallet).run)(command)
    batch = await caller.post("holds", [text_message(f"m-{index}") for index in range(200)])
    refused = [item for item in batch.json() if item["status"] != 200]
    assert {(item["status"], item["type"]) for item in refused} == {(503, "backlog-full")}
    held = [item["message_id"] for item in batch.json() if item["status"] == 200]
    if held:
        assert (await caller.post("cancellations", held)).json()[0]["status"] == 200


async def test_lost_data_is_503_and_says_so(caller: Caller, shop: Shop) -> None:
    await in_thread(servers.path(shop.wallet).run)(commands.destroy(shop.slug, 1))
    refused = await caller.hold("m-1")
    assert (refused.status_code, refused.json()["type"]) == (503, "unavailable")


async def test_without_a_tariff_nothing_can_be_sent(caller: Caller) -> None:
    bare = await in_thread(make_shop)("bare", tariff=False)
    refused = await caller.at(bare.token).post("holds", text_message("m-1"), slug="bare")
    assert (refused.status_code, refused.json()["type"]) == (422, "no-tariff")
    assert (await in_thread(bare.balance)()).seq <= 1


async def test_a_tariff_that_has_ended_refuses(caller: Caller, shop: Shop) -> None:
    assert shop.tariff is not None
    ends = timezone.now() + timedelta(seconds=patient(1))
    await in_thread(tariff_end)(actor="test", tariff=shop.tariff, valid_until=ends)
    numbers = itertools.count()

    async def is_refused() -> bool:
        response = await caller.hold(f"m-{next(numbers)}")
        return response.status_code != 200 and response.json()["type"] == "no-tariff"

    await eventually(is_refused)


async def test_a_batch_is_answered_item_by_item_in_order(caller: Caller, shop: Shop) -> None:
    batch = [
        text_message("a"),
        text_message("a"),
        text_message("a", text="other"),
        {"message_id": "b"},
        text_message("c", chatbot="nobody"),
        text_message("d", chatbot="shop"),
        "no object",
        text_message("e", video_kilobytes=0),
        text_message("f", fallback="pigeon"),
        text_message("g", amount=5),
        text_message("h", video_kilobytes=float("1e30")),
    ]
    response = await caller.post("holds", batch)
    assert response.status_code == 200
    assert [item["status"] for item in response.json()] == [
        *(200, 200, 422, 422, 403, 200, 422, 422, 422, 422, 422)
    ]
    assert [item.get("message_id") for item in response.json()[:3]] == ["a"] * 3
    assert (await in_thread(shop.balance)()).held == 2 * 1_200


async def test_a_thousand_messages_in_one_request(caller: Caller, shop: Shop) -> None:
    response = await caller.post("holds", [text_message(f"m-{index}") for index in range(1_000)])
    assert {item["status"] for item in response.json()} == {200} or response.json()[-1][
        "type"
    ] == "insufficient-balance"
    balance = await in_thread(shop.balance)()
    assert balance.held == balance.open * 1_200
    assert balance.bal == 1_000_000 - balance.held
    assert balance.open == 1_000_000 // 1_200
    await in_thread(shop.check)()


@pytest.mark.parametrize("size", [0, 1_001])
async def test_an_envelope_of_no_or_too_many_items_does_nothing(
    caller: Caller, shop: Shop, size: int
) -> None:
    response = await caller.post("holds", [text_message(f"m-{index}") for index in range(size)])
    assert (response.status_code, response.json()["type"]) == (422, "malformed")
    assert (await in_thread(shop.balance)()).held == 0


# -- senders ------------------------------------------------------------------------------------


async def test_a_chatbot_s_token_sends_in_its_name_only(caller: Caller, shop: Shop) -> None:
    await in_thread(chatbot_create)(actor="test", account=shop.account, slug="news", name="News")
    refused = await caller.hold("m-1", chatbot="news")
    assert (refused.status_code, refused.json()["type"]) == (403, "forbidden")
    general = await in_thread(_account_token)(shop)
    named = await caller.at(general).hold("m-1", chatbot="shop")
    assert named.status_code == 200
    nameless = await caller.at(general).hold("m-2")
    assert (nameless.status_code, nameless.json()["type"]) == (422, "malformed")
    assert (await caller.get("messages/m-1")).json()["chatbot"] == "shop"


def _account_token(shop: Shop, **given: Any) -> str:
    given = {"resources": [f"wallet:{shop.slug}"], "actions": ["billing.hold"]} | given
    return token_create(name="app", account=shop.account, actor="test", **given)[1]


async def test_a_chatbot_s_rate_holds_for_single_messages_and_batches(
    caller: Caller, shop: Shop
) -> None:
    await in_thread(chatbot_change)(actor="test", chatbot=shop.chatbot, name="Shop", rate_limit=5)
    numbers = itertools.count()
    statuses: list[int] = []

    async def is_limited() -> bool:
        number = next(numbers)
        batch = [text_message(f"{number}-{index}") for index in range(20)]
        statuses[:] = [item["status"] for item in (await caller.post("holds", batch)).json()]
        return 429 in statuses

    async def goes_on() -> bool:
        return (await caller.hold("later")).status_code != 429

    await eventually(is_limited)
    assert statuses == [200] * statuses.count(200) + [429] * statuses.count(429)
    assert statuses.count(200) <= 6
    await eventually(goes_on)  # without a request


async def test_a_template_brings_its_content_and_its_chatbot(caller: Caller, shop: Shop) -> None:
    template = await in_thread(template_create)(actor="test", chatbot=shop.chatbot, **COMPLETE)
    body = {"message_id": "m-1", "template": template.pk, "fallback": "yuexin"}
    held = await caller.post("holds", body)
    assert held.json()["quoted"] == "0.1500"  # resolved 0.15; 102 characters in 2 SMS: 0.09
    mixed = await caller.post("holds", body | {"message_id": "m-2", "text": "more"})
    assert (mixed.status_code, mixed.json()["type"]) == (422, "malformed")
    other = await in_thread(make_shop)("other")
    foreign = await caller.at(other.token).post("holds", body, slug="other")
    missing = await caller.post("holds", {"message_id": "m-3", "template": 999_999})
    assert foreign.status_code == missing.status_code == 422
    assert foreign.json()["detail"] == missing.json()["detail"]


async def test_what_a_terminal_can_show_decides_the_fallback_and_is_told(
    caller: Caller, shop: Shop
) -> None:
    from billing.models import TerminalListing

    def listed(supports: bool) -> None:
        TerminalListing.objects.update_or_create(
            number="13800000001",
            defaults={"supports_yuexin": supports, "imported_at": timezone.now()},
        )

    await in_thread(listed)(True)
    body = {
        **text_message("m-1", fallback="by_terminal", yuexin_text="Hello https://a.example"),
        "to": "138-0000-0001",
    }
    held = (await caller.post("holds", body)).json()
    assert (held["quoted"], held["fallback"]) == ("0.1500", "yuexin")
    assert held["ability"] == {"supports_yuexin": True, "source": "table", "age_seconds": 0}
    unknown = (await caller.post("holds", body | {"message_id": "m-2", "to": "139"})).json()
    assert (unknown["quoted"], unknown["fallback"]) == ("0.1200", "video")
    assert unknown["ability"]["source"] == "unknown"
    again = (await caller.post("holds", body | {"message_id": "m-2", "to": "139"})).json()
    assert (again["outcome"], again["fallback"]) == ("repeat", "video")


async def test_a_hold_does_not_wait_for_an_sql_that_hangs(caller: Caller, shop: Shop) -> None:
    """Abilities are in SQL: a number whose ability is not read in time falls back to video."""
    over = threading.Event()
    at_last = threading.Timer(patient(20), over.set)  # then it answers, too late
    at_last.start()
    hanging = [directory.EXECUTOR.submit(over.wait) for _ in range(directory.THREADS)]
    body = {
        **text_message("m-1", fallback="by_terminal", yuexin_text="Hello https://a.example"),
        "to": "138-0000-0001",
    }
    try:
        held = (await caller.post("holds", body)).json()
        again = (await caller.post("holds", body | {"message_id": "m-2"})).json()
    finally:
        over.set()
        at_last.cancel()
        wait(hanging)
    for answer in (held, again):
        assert (answer["quoted"], answer["fallback"]) == ("0.1200", "video")
        assert answer["ability"]["source"] == "slow"


# -- permissions --------------------------------------------------------------------------------


async def test_nobody_gets_401(caller: Caller) -> None:
    for secret in ("", "ps_wrong", "x" * 5_000):
        for part in ("holds", "sent", "cancellations", "settlements", "sessions"):
            response = await caller.at(secret).post(part, text_message("m-1"))
            assert (response.status_code, response.json()["type"]) == (401, "unauthenticated")
        assert (await caller.at(secret).get("balance")).status_code == 401


async def test_a_foreign_account_looks_like_a_missing_one(caller: Caller) -> None:
    other = await in_thread(make_shop)("other")
    stranger = caller.at(other.token)
    for part in ("holds", "settlements"):
        foreign = await stranger.post(part, text_message("m-1"))
        missing = await stranger.post(part, text_message("m-1"), slug="nowhere")
        assert foreign.status_code == missing.status_code == 404
        assert foreign.json() == missing.json()
        assert foreign.json()["type"] == "unknown-account"
    assert (await stranger.get("balance")).json() == (
        await stranger.get("balance", slug="nowhere")
    ).json()


async def test_a_token_does_only_what_it_is_for(caller: Caller, shop: Shop) -> None:
    holds_only = caller.at(await in_thread(_account_token)(shop, events=["hold"]))
    assert (await holds_only.hold("m-1", chatbot="shop")).status_code == 200
    for part in ("sent", "cancellations"):
        refused = await holds_only.post(part, {"message_id": "m-1"})
        assert (refused.status_code, refused.json()["type"]) == (403, "forbidden")
    looker = caller.at(await in_thread(_account_token)(shop, actions=["billing.view"]))
    assert (await looker.get("balance")).status_code == 200
    assert (await looker.hold("m-2", chatbot="shop")).status_code == 403


async def test_a_revoked_token_is_refused_within_a_second(caller: Caller, shop: Shop) -> None:
    assert (await caller.hold("m-1")).status_code == 200
    token = await in_thread(ApiToken.objects.get)(pk=shop.chatbot.token_id)
    await in_thread(token_revoke)(token=token, actor="test")
    async with asyncio.timeout(patient(1)):
        while (await caller.hold("m-1")).status_code != 401:
            pass


# -- messages that ended long ago --------------------------------------------------------------


async def test_an_id_that_redis_has_forgotten_is_found_in_the_books(
    caller: Caller, shop: Shop
) -> None:
    held = (await caller.hold("old")).json()
    state = await in_thread(servers.path(shop.wallet).run)(commands.message(shop.slug, "old"))
    assert state is not None
    await caller.post("cancellations", {"message_id": "old"})

    def forget() -> None:
        """Forget messages as after 7 days: they are in the books, no longer in the wallet."""
        Wallet.objects.update(created_at=timezone.now() - timedelta(days=30))
        Message.objects.create(
            wallet=shop.wallet,
            message_id="old",
            body_hash=state.body_hash,
            state="settled",
            quoted=1_200,
            charged=800,
        )
        key = commands.WalletKeys(shop.slug).messages
        servers.path(shop.wallet).client().hdel(key, "old")

    await in_thread(forget)()
    await _until_it_looks_back(caller)
    again = (await caller.hold("old")).json()
    assert (again["outcome"], again["state"], again["charged"]) == ("repeat", "settled", "0.0800")
    other = await caller.hold("old", text="other")
    assert (other.status_code, other.json()["type"]) == (422, "other-body")
    batch = (await caller.post("holds", [text_message("old"), text_message("new")])).json()
    assert [item["outcome"] for item in batch] == ["repeat", "held"]
    assert held["quoted"] == again["quoted"]


async def _until_it_looks_back(caller: Caller) -> None:
    from billing.api.directory import wallets

    async def looks_back() -> bool:
        ref = await wallets().get("acme")
        return ref is not None and ref.looks_back

    await eventually(looks_back)
