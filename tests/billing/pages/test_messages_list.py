"""The list of messages: permissions, filters, pages, counts and its file."""

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction
from django.utils import timezone

from billing.models import Campaign, Chatbot, Message, Recipient, Template
from billing.selectors import messages_list
from billing.selectors.messages_list import MessageQuery
from billing.services.sending_values import OTHER_BODY
from poolsite.console import tables
from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import Customer, browser, customer
from tests.billing.pages.test_pages import body_of

pytestmark = pytest.mark.django_db(transaction=True)
LIST = "/accounts/evergreen/messages/"
NUMBER = "+8613800138000"
NOON = datetime(2026, 11, 20, 4, tzinfo=UTC)  # noon in the account's zone


@pytest.fixture
def made(clean_redis: RedisServer) -> Customer:
    return customer()


def message(made: Customer, message_id: str, **more: Any) -> Message:
    given = {"state": "settled", "mode": "native_text", "chatbot": "shop", "held_at": NOON} | more
    return Message.objects.create(
        wallet=made.wallet, message_id=message_id, quoted=5_000, charged=3_000, **given
    )


def campaign(made: Customer, name: str = "Autumn") -> Campaign:
    chatbot = Chatbot.objects.get(account=made.wallet.account)
    template, _ = Template.objects.get_or_create(chatbot=chatbot, name="News", native_kind="text")
    return Campaign.objects.create(
        wallet=made.wallet, chatbot=chatbot, template=template, name=name, started_at=NOON
    )


def recipient(sent: Campaign, row: int, number: str = NUMBER, **more: Any) -> Recipient:
    given = {"state": Recipient.State.SENT, "message_id": f"{sent.public_id}-{row}"} | more
    return Recipient.objects.create(campaign=sent, row=row, number=number, **given)


def listed(made: Customer, query: str = "") -> Any:
    answer = browser(made.people["owner"]).get(f"{LIST}?{query}")
    assert answer.status_code == 200
    return answer.context


def ids(made: Customer, query: str = "") -> list[str]:
    return [row.message.message_id for row in listed(made, query)["rows"]]


def file_of(made: Customer, query: str = "") -> list[dict[str, str]]:
    answer = browser(made.people["owner"]).get(f"{LIST}?format=csv&{query}")
    return list(csv.DictReader(io.StringIO(body_of(answer).removeprefix("\ufeff"))))


def test_a_campaign_message_shows_its_recipient_masked_and_others_show_none(
    made: Customer,
) -> None:
    sent = campaign(made)
    recipient(sent, 1)
    message(made, f"{sent.public_id}-1")
    message(made, "api-1")
    rows = {row.message.message_id: row for row in listed(made)["rows"]}
    assert rows["api-1"].number == ""
    assert rows[f"{sent.public_id}-1"].number.replace("\N{NO-BREAK SPACE}", " ") == "138 •••• 8000"
    page = browser(made.people["owner"]).get(LIST).content.decode()
    assert "13800138000" not in page
    assert "Autumn" in page
    story = browser(made.people["owner"]).get(
        "/accounts/evergreen/message/", {"id": f"{sent.public_id}-1"}
    )
    assert "138" in story.context["sent_to"]
    assert "13800138000" not in story.content.decode()


@pytest.mark.parametrize("typed", [NUMBER, "13800138000", "138 0013 8000", "8613800138000"])
def test_a_recipient_is_found_by_the_whole_number_however_it_is_written(
    made: Customer, typed: str
) -> None:
    sent = campaign(made)
    recipient(sent, 1)
    recipient(sent, 2, "+8613800138001")
    for row in (1, 2):
        message(made, f"{sent.public_id}-{row}")
    assert ids(made, f"q={typed.replace('+', '%2B')}") == [f"{sent.public_id}-1"]


def test_an_id_that_another_message_had_tells_no_recipient(made: Customer) -> None:
    sent = campaign(made)
    recipient(sent, 1, state=Recipient.State.REFUSED, error=OTHER_BODY)
    message(made, f"{sent.public_id}-1")
    assert listed(made)["rows"][0].number == ""
    assert ids(made, f"campaign={sent.pk}") == []


def test_another_accounts_recipient_stays_its_own(made: Customer) -> None:
    other = customer("northbank")
    theirs = campaign(other)
    recipient(theirs, 1)
    message(other, f"{theirs.public_id}-1")
    message(made, f"{theirs.public_id}-1")  # happens to have the same ID
    assert listed(made)["rows"][0].number == ""
    assert ids(made, "q=13800138000") == []
    assert ids(made, f"campaign={theirs.pk}") == [f"{theirs.public_id}-1"]  # an unknown filter
    stranger = browser(other.people["owner"])
    for query in ("", "?format=csv", "?q=c1"):
        assert stranger.get(f"{LIST}{query}").status_code == 404


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("q=a-", ["a-2", "a-1"]),
        ("q=a-1", ["a-1"]),
        ("q=a-10", []),
        ("q=p-", ["p-1"]),
        ("state=parked", ["p-1"]),
        ("q=A-", []),
        ("state=failed", ["b-1"]),
        ("mode=video", ["a-2"]),
        ("chatbot=shop&state=settled", ["a-2", "a-1"]),
        ("flagged=1", ["b-1"]),
        ("", ["a-2", "b-1", "a-1"]),
        ("period=dates&from=2026-11-20&until=2026-11-20", ["b-1", "a-1"]),
        ("period=dates&from=2026-11-21", ["a-2"]),
        ("period=dates&until=2026-11-19", []),
        ("from=2026-11-21", ["a-2", "b-1", "a-1"]),  # dates only count together with their period
        ("period=dates&from=x&until=9999-12-31", ["a-2", "b-1", "a-1"]),
        ("period=nonsense&state=nonsense&mode=x&campaign=x", ["a-2", "b-1", "a-1"]),
    ],
)
def test_each_filter_leaves_the_same_rows_on_the_page_and_in_the_file(
    made: Customer, query: str, wanted: list[str]
) -> None:
    message(made, "a-1")
    message(made, "a-2", mode="video", held_at=NOON + timedelta(days=1))
    message(made, "b-1", state="failed", mode="", flag="late")
    message(made, "p-1", state="parked", mode="", held_at=None)  # a report without a hold
    assert ids(made, query) == wanted
    assert [row["message"] for row in file_of(made, query)] == wanted


def test_today_and_the_last_days_begin_at_the_readers_midnight(made: Customer) -> None:
    here = timezone.localtime(timezone=ZoneInfo(made.wallet.account.zone))
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    message(made, "today", held_at=midnight)
    message(made, "yesterday", held_at=midnight - timedelta(microseconds=1))
    message(made, "week", held_at=midnight - timedelta(days=6, hours=1))
    assert ids(made, "period=today") == ["today"]
    assert ids(made, "period=7d") == ["today", "yesterday"]


def test_pages_lead_on_and_back_and_hold_every_row_once(
    made: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    for n in range(5):
        message(made, f"m-{n}")  # all at the same moment
    for query in ("", "period=dates&from=2026-11-20"):
        seen, context = [], listed(made, query)
        first = [row.message.message_id for row in context["rows"]]
        while True:
            seen += [row.message.message_id for row in context["rows"]]
            if not context["next_url"]:
                break
            context = listed(made, context["next_url"][1:])
        assert seen == ["m-4", "m-3", "m-2", "m-1", "m-0"]
        back = listed(made, context["back_url"][1:])
        back = listed(made, back["back_url"][1:])
        assert [row.message.message_id for row in back["rows"]] == first


def test_a_page_says_which_rows_of_how_many_it_shows(
    made: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    for n in range(5):
        message(made, f"m-{n}")
    first = listed(made)
    assert first["shown"] == "1 to 2 of 5"
    second = listed(made, first["next_url"][1:])
    assert second["shown"] == "3 to 4 of 5"
    assert listed(made, second["next_url"][1:])["shown"] == "5 to 5 of 5"
    assert listed(made, second["back_url"][1:])["shown"] == "1 to 2 of 5"
    monkeypatch.setattr(messages_list, "COUNTED", 3)
    assert listed(made)["shown"] == "1 to 2 of more than 10,000"


def test_a_message_that_failed_says_why_and_a_column_of_nothing_is_left_out(
    made: Customer,
) -> None:
    message(made, "m-1", state="failed", mode="")
    owner = browser(made.people["owner"])
    page = owner.get(LIST).content.decode()
    assert "The gateway reported a final failure" in page
    assert ">Recipient<" not in page
    story = owner.get(f"{LIST.replace('messages', 'message')}?id=m-1").content.decode()
    assert "The gateway reported a final failure" in story


@pytest.mark.parametrize("query", ["", "period=dates&from=2026-11-20"])
def test_the_file_is_whole_over_its_chunks(
    made: Customer, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(messages_list, "CHUNK", 2)
    for n in range(5):
        message(made, f"m-{n}", held_at=NOON + timedelta(hours=n // 2))
    message(made, "=cmd", state="sent", mode="", held_at=NOON)
    rows = file_of(made, query)
    assert sorted(row["message"] for row in rows) == ["'=cmd", "m-0", "m-1", "m-2", "m-3", "m-4"]
    by_id = {row["message"]: row for row in rows}
    assert by_id["m-0"] | {"held": "0.5000", "charged": "0.3000"} == by_id["m-0"]
    assert by_id["'=cmd"]["charged"] == ""


def test_states_and_modes_are_counted_with_the_other_filters_applied(
    made: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    message(made, "a-1")
    message(made, "a-2", mode="video")
    message(made, "b-1", state="failed", mode="", flag="late")
    counts = MessageQuery(state="settled").counts(made.wallet)
    assert counts is not None
    assert counts.states == {"settled": 2, "failed": 1}
    assert counts.modes == {"native_text": 1, "video": 1}
    counts = MessageQuery(mode="video", search="a-").counts(made.wallet)
    assert counts is not None
    assert counts.states == {"settled": 1}
    counts = MessageQuery(flagged=True).counts(made.wallet)
    assert counts is not None
    assert counts.states == {"failed": 1}
    assert ("failed", "Failed (1)") in listed(made)["states"]
    monkeypatch.setattr(messages_list, "COUNTED", 2)
    assert MessageQuery().counts(made.wallet) is None
    assert ("failed", "Failed") in listed(made)["states"]


def test_no_filter_reads_every_message(made: Customer) -> None:
    Message.objects.bulk_create(
        Message(
            wallet=made.wallet,
            message_id=f"m-{n:05}",
            state="settled",
            held_at=NOON + timedelta(seconds=n),
        )
        for n in range(3_000)
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("ANALYZE")

    def plan(query: MessageQuery) -> str:
        by = [term.by for term in query.order]
        return query.rows(made.wallet).order_by(*by)[: tables.PAGE_ROWS + 1].explain()

    assert "(wallet_id=? AND message_id>? AND message_id<?)" in plan(MessageQuery(search="m-0012"))
    within = plan(MessageQuery(begin=NOON, end=NOON + timedelta(days=1)))
    assert "billing_message_held_at" in within
    for query in (MessageQuery(), MessageQuery(begin=NOON)):
        assert "TEMP B-TREE FOR ORDER BY" not in plan(query)
