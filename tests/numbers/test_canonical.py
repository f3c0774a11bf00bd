"""The canonical form of a number: all spellings of a line are one number, on every interface."""

import csv
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import phonenumbers
import pytest
from django.core.exceptions import ValidationError

from numbers import pool as commands
from numbers import selectors, services
from numbers.canonical import canonical, spelled, spellings
from numbers.errors import NumbersError
from numbers.models import CallRecord, Number, Pool
from poolsite import hotpath
from poolsite.number_format import Normalised, normalise
from poolsite.operations.models import Incident
from tests.numbers.people import (
    drain,
    in_thread,
    make_pool,
    operator,
    register,
    send,
    token_for,
)
from tests.numbers.pool_support import KEYS, PoolUnderTest, index_of

SAMPLE = Path(__file__).parent.parent / "data" / "numbers-sample.csv"
LINE = "+8613977000099"
FOUR = ("13977000099", "8613977000099", "008613977000099", "+86 139 7700 0099")


def value_of(text: str) -> str:
    found = normalise(text)
    assert isinstance(found, Normalised)
    return found.value


# -- the form itself --------------------------


@pytest.mark.parametrize("text", FOUR)
def test_four_spellings_are_one_number(text: str) -> None:
    assert canonical(value_of(text), "CN") == LINE


@pytest.mark.parametrize("value", ["123456", "10086", "95588", "7", "+123", "9" * 32])
def test_what_is_no_number_of_a_country_stays_as_it_is(value: str) -> None:
    assert canonical(value, "CN") == value


def test_the_home_country_decides_how_a_local_number_is_read() -> None:
    assert canonical("07400123456", "GB") == "+447400123456"
    assert canonical("447400123456", "GB") == canonical("+4407400123456", "GB") == "+447400123456"
    assert canonical("6502530000", "US") == canonical("16502530000", "US") == "+16502530000"
    assert canonical("13977000099", "") == LINE  # the platform's own country


def test_the_good_rows_of_the_sample_stay_five_thousand_numbers() -> None:
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        found = [normalise(row["number"]) for row in csv.DictReader(file)]
    good = {row.value for row in found if isinstance(row, Normalised)}
    assert len({canonical(value, "CN") for value in good}) == 5_000


def test_what_a_switch_is_answered_it_may_send_back_in_every_country() -> None:
    for region in sorted(phonenumbers.SUPPORTED_REGIONS):
        for kind in (phonenumbers.PhoneNumberType.FIXED_LINE, phonenumbers.PhoneNumberType.MOBILE):
            example = phonenumbers.example_number_for_type(region, kind)
            if example is None:
                continue
            line = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
            assert canonical(line, region) == line
            for spelling in ("e164", "national", "digits"):
                assert canonical(spelled(line, spelling, region), region) == line


def test_answers_are_spelled_as_the_pool_says() -> None:
    assert [spelled(LINE, each, "CN") for each in ("e164", "national", "digits")] == [
        LINE,
        "13977000099",
        "8613977000099",
    ]
    assert spelled("+862112345678", "national", "CN") == "02112345678"
    assert spelled("+447400123456", "digits", "CN") == "+447400123456"  # not of the home country
    assert spelled("123456", "national", "CN") == "123456"


def test_every_spelling_is_known_to_look_ups() -> None:
    assert {*spellings("8613977000099", ["CN"])} >= {LINE, "13977000099", "8613977000099"}
    assert spellings("123456", ["CN"]) == ("123456",)


# -- aliases in Redis --------------------------


def alias(bench: PoolUnderTest, stored: str = "13977000099") -> None:
    assert bench.run(commands.alias(KEYS.slug, {LINE: stored})) == 1
    assert bench.run(commands.alias(KEYS.slug, {LINE: stored})) == 0


def test_a_stored_spelling_is_found_by_its_canonical_form(bench: PoolUnderTest) -> None:
    bench.add("13977000099")
    assert bench.event("call", LINE, call_id="a").reason == "unknown number"
    alias(bench)
    taken = bench.event("call", LINE, call_id="a")
    assert (taken.outcome, taken.number, taken.state) == ("ok", "13977000099", "busy+up")
    assert bench.event("call", LINE, call_id="a").reason == "repeat"
    assert bench.event("call", LINE, call_id="b").reason == "busy"
    assert bench.event("add", LINE).state == "busy+up"  # it exists: no second number is made
    assert bench.event("renew", LINE, call_id="a").ok
    ended = bench.event("hangup", LINE, call_id="a")
    assert (ended.outcome, ended.number, ended.state) == ("ok", "13977000099", "idle+up")
    assert bench.client.hkeys(KEYS.numstate) == ["13977000099"]


def test_contacts_stand_under_the_stored_spelling(bench: PoolUnderTest) -> None:
    bench.add("13977000099", up=False)
    alias(bench)
    assert bench.event("reg", LINE, contact="sip:a", expires=60).state == "idle+up"
    assert bench.event("reg", "13977000099", contact="sip:b", expires=60).state == "idle+up"
    assert bench.event("unreg", LINE, contact="sip:a").state == "idle+up"
    assert bench.event("unreg", LINE, contact="sip:b").state == "idle+down"


def test_a_batch_and_a_live_list_find_it_too(bench: PoolUnderTest) -> None:
    bench.add("13977000099")
    alias(bench)
    batch = commands.events(
        KEYS.slug, [commands.Event.of("unreg", LINE), commands.Event.of("reg", LINE)]
    )
    assert [(one.number, one.state) for one in bench.run(batch)] == [
        ("13977000099", "idle+down"),
        ("13977000099", "idle+up"),
    ]
    for _ in range(2):
        part = bench.run(
            commands.live_list(
                KEYS.slug, "fs1", "b1", 0, [commands.Listed("g", LINE)], first=True, last=True
            )
        )
    assert part.adopted == (commands.Listed("g", "13977000099"),)
    assert bench.event("hangup", LINE, call_id="g").state == "idle+up"


def test_the_old_call_of_a_deleted_number_ends_by_either_spelling(bench: PoolUnderTest) -> None:
    bench.add("13977000099")
    alias(bench)
    bench.event("call", LINE, call_id="a")
    assert bench.event("del", LINE).state == "nodata"
    assert bench.event("hangup", LINE, call_id="a").reason == "old call"


def test_the_alias_of_a_deleted_number_counts_for_nothing_and_is_forgotten(
    bench: PoolUnderTest,
) -> None:
    bench.add("13977000099")
    alias(bench)
    assert bench.event("del", LINE).ok
    added = bench.event("add", LINE)
    assert (added.number, added.state) == (LINE, "idle+down")
    bench.sweep()
    assert f"a:{LINE}" not in index_of(bench.client)
    assert bench.event("del", LINE).ok


def test_an_alias_is_kept_while_its_number_is_there(bench: PoolUnderTest) -> None:
    bench.add("13977000099")
    alias(bench)
    bench.sweep()
    assert index_of(bench.client)[f"a:{LINE}"] == "13977000099"


# -- adding --------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("text", FOUR)
def test_a_second_spelling_is_refused_with_the_row_that_has_it(
    clean_redis: object, text: str
) -> None:
    east, west = make_pool("east"), make_pool("west")
    row = services.number_add(actor="test", pool=east, number=FOUR[0])
    assert (row.value, row.canonical) == (LINE, LINE)
    with pytest.raises(NumbersError, match=r"\+8613977000099 is already in this pool"):
        services.number_add(actor="test", pool=east, number=text)
    with pytest.raises(NumbersError, match=r"\+8613977000099 is in the pool east"):
        services.number_add(actor="test", pool=west, number=text)
    done = services.number_add_range(actor="test", pool=west, first=FOUR[0], last="13977000100")
    assert (done.elsewhere, done.added) == ({LINE: "east"}, ["+8613977000100"])


@pytest.mark.django_db(transaction=True)
def test_a_line_whose_old_call_runs_under_another_spelling_is_not_free(clean_redis: object) -> None:
    east = make_pool("east", added_by_script="lend")
    send("east", "add", "13977000099")
    register("east", "13977000099")
    send("east", "call", "13977000099", call_id="a")
    drain(east)
    services.numbers_delete(actor="test", pool=east, values=["13977000099"])
    with pytest.raises(NumbersError, match="still in a call in east"):
        services.number_add(actor="test", pool=east, number=LINE)
    send("east", "hangup", "13977000099", call_id="a")
    drain(east)
    assert services.number_add(actor="test", pool=east, number=LINE).value == LINE


@pytest.mark.django_db(transaction=True)
def test_a_spelling_added_by_the_command_line_is_found_by_every_other(clean_redis: object) -> None:
    east = make_pool("east")
    send("east", "add", "13977000099")
    drain(east)
    row = Number.objects.get()
    assert (row.value, row.canonical) == ("13977000099", LINE)
    assert send("east", "reg", LINE).number == "13977000099"
    hotpath.client().hdel("{east}", f"a:{LINE}")
    services.pool_reconcile(pool=east, check=False)
    assert send("east", "unreg", LINE).number == "13977000099"
    for text in FOUR:
        assert selectors.number_get(operator(), value_of(text)).number == row


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("home", ["east", "west"])
def test_a_twin_added_by_the_command_line_is_quarantined_and_listed(
    clean_redis: object, home: str
) -> None:
    pools = {slug: make_pool(slug) for slug in ("east", "west")}
    services.number_add(actor="test", pool=pools[home], number=LINE)
    send("east", "add", "13977000099")
    register("east", "13977000099")
    drain(pools["east"])
    assert Number.objects.get().value == LINE
    refused = send("east", "call", "13977000099", call_id="a")
    assert (refused.outcome, refused.reason) == ("error", "quarantined")
    found = hotpath.run(commands.states("east", ["13977000099"]))
    assert found is not None
    why = found.by_number["13977000099"].quarantine_reason
    assert why == f"in pool {home} as {LINE}"
    assert Incident.objects.filter(type="numbers.foreign", object="east", until=None).exists()
    report = services.pool_reconcile(pool=pools["east"], check=False)
    assert report.foreign == {"13977000099": f"{home} as {LINE}"}
    assert report.clean
    send("east", "del", "13977000099")
    drain(pools["east"])
    assert services.pool_reconcile(pool=pools["east"], check=False).foreign == {}
    assert Number.objects.get().value == LINE


@pytest.mark.django_db(transaction=True)
def test_two_new_spellings_of_one_line_in_one_page_make_one_row(clean_redis: object) -> None:
    east = make_pool("east")
    for value in ("8613977000099", "13977000099"):
        send("east", "add", value)
        register("east", value)
    drain(east)
    row = Number.objects.get()
    other = next(value for value in ("8613977000099", "13977000099") if value != row.value)
    assert send("east", "call", other, call_id="a").reason == "quarantined"
    assert send("east", "call", row.value, call_id="b").ok


# -- a pool's home country --------------------------


@pytest.mark.django_db(transaction=True)
def test_a_home_country_is_checked_and_numbers_are_read_anew(clean_redis: object) -> None:
    east = make_pool("east")
    send("east", "add", "07400123456")
    drain(east)
    assert Number.objects.get().canonical == "07400123456"
    with pytest.raises(ValidationError, match="Enter a two-letter country code"):
        services.pool_configure(actor="test", pool=east, home_country="ZZ")
    east = services.pool_configure(actor="test", pool=east, home_country="GB")
    assert Number.objects.get().canonical == "+447400123456"
    assert send("east", "reg", "+447400123456").number == "07400123456"
    assert selectors.number_get(operator(), "447400123456").number.value == "07400123456"
    services.pool_configure(actor="test", pool=east, home_country="")
    assert send("east", "reg", "+447400123456").reason == "unknown number"


@pytest.mark.django_db(transaction=True)
def test_a_home_country_that_would_make_twins_is_refused(clean_redis: object) -> None:
    east = make_pool("east")
    send("east", "add", "07400123456")
    drain(east)
    services.number_add(actor="test", pool=east, number="+447400123456")
    with pytest.raises(ValidationError, match="would be the same line as"):
        services.pool_configure(actor="test", pool=east, home_country="GB")
    assert Number.objects.get(value="07400123456").canonical == "07400123456"


# -- HTTP --------------------------


class Caller:
    """A switch's HTTP client."""

    def __init__(self, client: httpx.AsyncClient, token: str) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"}

    async def post(self, body: Any, what: str = "events") -> Any:
        path = f"/api/v1/pools/east/{what}"
        return (await self._client.post(path, json=body, headers=self._headers)).json()


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    from poolsite.asgi import application

    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


async def caller_of(client: httpx.AsyncClient, pool: Pool) -> Caller:
    return Caller(client, await in_thread(token_for)(pool))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("stored", [LINE, "13977000099"])
@pytest.mark.parametrize("text", FOUR)
async def test_an_event_finds_its_number_in_every_spelling(
    clean_redis: object, client: httpx.AsyncClient, text: str, stored: str
) -> None:
    pool = await in_thread(make_pool)("east")
    await in_thread(send)("east", "add", stored)
    await in_thread(drain)(pool)
    caller = await caller_of(client, pool)
    assert (await caller.post({"event": "reg", "number": text}))["number"] == LINE
    began = await caller.post({"event": "call", "number": text, "call_id": "a"})
    assert (began["outcome"], began["number"]) == ("ok", LINE)
    others = [{"event": "call", "number": other} for other in FOUR]
    assert {answer["reason"] for answer in await caller.post(others)} == {"busy"}
    assert (await caller.post({"event": "add", "number": text}))["state"] == "busy+up"
    listed = {
        "switch": "fs1",
        "incarnation": "b1",
        "as_of": 0,
        "calls": [{"call_id": "a", "number": text}, {"call_id": "ghost", "number": text}],
    }
    lists = await caller.post(listed, "live")
    assert (lists["renewed"], lists["conflict"]) == (1, [{"call_id": "ghost", "number": LINE}])
    ended = await caller.post({"event": "hangup", "number": text, "call_id": "a"})
    assert (ended["outcome"], ended["state"]) == ("ok", "idle+up")
    assert await in_thread(hotpath.client().hkeys)("{east}:numstate") == [stored]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("spelling", "answered"), [("national", "13977000099"), ("digits", "8613977000099")]
)
async def test_a_switch_is_answered_in_its_pools_spelling(
    clean_redis: object, client: httpx.AsyncClient, spelling: str, answered: str
) -> None:
    pool = await in_thread(make_pool)("east", number_spelling=spelling)
    await in_thread(services.number_add)(actor="test", pool=pool, number=LINE)
    await in_thread(register)("east", LINE)
    caller = await caller_of(client, pool)
    assert (await caller.post({"event": "call", "call_id": "a"}))["number"] == answered
    (refused,) = await caller.post([{"event": "call", "number": answered}])
    assert (refused["number"], refused["reason"]) == (answered, "busy")
    assert (await caller.post({"event": "hangup", "call_id": "a"}))["number"] == answered


@pytest.mark.django_db(transaction=True)
def test_who_had_it_and_its_story_are_found_in_every_spelling(clean_redis: object) -> None:
    pool = make_pool("east", added_by_script="lend")
    send("east", "add", "13977000099")
    register("east", "13977000099")
    send("east", "call", "13977000099", call_id="a", agent="alice")
    drain(pool)
    at = CallRecord.objects.get().started_at
    for text in FOUR:
        value = value_of(text)
        assert [row.agent for row in selectors.who_had(operator(), at=at, number=value)] == [
            "alice"
        ]
        assert selectors.number_story(operator(), value).events[0].event == "call"
        assert len(selectors.recent_calls(operator(), number=value)) == 1
