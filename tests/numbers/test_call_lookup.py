"""Call lookup also finds the nearest calls; the number list's columns, sizes and choices."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from numbers import services
from numbers.models import CallRecord, Number, NumberImport, NumberTag, Pool
from numbers.selectors import lists
from poolsite.access.models import Account, Grant, Membership, User
from poolsite.runtime.redis_server import RedisServer

pytestmark = pytest.mark.django_db(transaction=True)
SHANGHAI = ZoneInfo("Asia/Shanghai")
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=SHANGHAI)
ONE = "+8613800000001"


@pytest.fixture
def pool(clean_redis: RedisServer) -> Pool:
    account = Account.objects.create(slug="evergreen", name="Evergreen")
    made = services.pool_create(actor="test", slug="east", name="East", account=account)
    services.numbers_add(
        actor="test", pool=made, values=[f"+86138000000{n:02}" for n in range(1, 31)]
    )
    return made


@pytest.fixture
def operator(pool: Pool) -> Client:
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    client = Client()
    client.force_login(user)
    return client


def call(pool: Pool, agent: str, began: datetime, seconds: float | None) -> CallRecord:
    return CallRecord.objects.create(
        pool=pool,
        number=ONE,
        agent=agent,
        callee="+8613900000000",
        started_at=began,
        ended_at=None if seconds is None else began + timedelta(seconds=seconds),
        generation=pool.generation,
        seq=CallRecord.objects.count() + 1,
    )


def looked_up(client: Client, at: datetime, what: str = ONE) -> Any:
    asked = {"by": "number", "what": what, "at": f"{at.astimezone(SHANGHAI):%Y-%m-%dT%H:%M:%S}"}
    return client.get("/who-had/", asked)


def test_a_miss_shows_the_call_before_and_the_one_after_with_how_far_they_are(
    pool: Pool, operator: Client
) -> None:
    call(pool, "Li Jun", NOON - timedelta(minutes=10), 60)
    call(pool, "Chen Jie", NOON - timedelta(minutes=5), 60)
    call(pool, "Liu Yang", NOON + timedelta(seconds=40), None)
    call(pool, "Wang Fang", NOON + timedelta(minutes=5), 60)
    answer = looked_up(operator, NOON)
    assert answer.context["calls"] == []
    around = [(each["agent"], each["away"]) for each in answer.context["around"]]
    assert around == [("Chen Jie", "ended 4 min before"), ("Liu Yang", "began 40 s later")]
    for each in answer.context["around"]:
        there = operator.get(each["there"])
        assert [found["agent"] for found in there.context["calls"]] == [each["agent"]]


def test_a_call_that_began_within_a_second_is_found_by_the_way_to_it(
    pool: Pool, operator: Client
) -> None:
    call(pool, "Li Jun", NOON + timedelta(seconds=3, milliseconds=700), 20)
    (around,) = looked_up(operator, NOON).context["around"]
    assert operator.get(around["there"]).context["calls"]


def test_a_hit_has_its_neighbours_and_nothing_at_all_says_so(pool: Pool, operator: Client) -> None:
    call(pool, "Li Jun", NOON - timedelta(minutes=1), None)
    call(pool, "Chen Jie", NOON - timedelta(minutes=5), 60)
    found = looked_up(operator, NOON)
    assert [each["agent"] for each in found.context["calls"]] == ["Li Jun"]
    assert [each["agent"] for each in found.context["around"]] == ["Chen Jie"]
    assert b"No calls found" in looked_up(operator, NOON, "+8613800000002").content


def test_the_neighbours_of_a_foreign_pool_are_not_found(pool: Pool) -> None:
    call(pool, "Li Jun", NOON - timedelta(minutes=5), 60)
    other = Account.objects.create(slug="other", name="Other")
    services.pool_create(actor="test", slug="theirs", name="Theirs", account=other)
    user = User.objects.create_user("stranger")
    Membership.objects.create(user=user, account=other, role="owner")
    stranger = Client()
    stranger.force_login(user)
    assert looked_up(stranger, NOON).context["around"] == []


def test_a_numbers_page_masks_the_callee_and_leads_to_the_lookup(
    pool: Pool, operator: Client
) -> None:
    call(pool, "Li Jun", NOON, 60)
    page = operator.get(f"/numbers/{ONE}/")
    assert "3900000000" not in page.content.decode()
    (shown,) = page.context["calls"]
    assert [each["agent"] for each in operator.get(shown["lookup"]).context["calls"]] == ["Li Jun"]


# -- the list ---------------------------------------------------------------------------------


def test_the_list_has_25_50_or_100_rows_and_says_so_in_its_address(operator: Client) -> None:
    def rows(query: str) -> int:
        return len(operator.get(f"/numbers/{query}").context["rows"])

    assert [rows(query) for query in ("", "?rows=50", "?rows=7", "?rows=x")] == [25, 30, 25, 25]
    page = operator.get("/numbers/?rows=50&sort=-number").content.decode()
    assert "?rows=100&amp;sort=-number" in page
    assert '<b class="num" aria-current="true">50</b>' in page


def test_columns_are_chosen_and_stay_from_page_to_page(operator: Client) -> None:
    Number.objects.filter(value=ONE).update(carrier="Mobile", notes="Ask first")
    page = operator.get("/numbers/")
    assert page.context["cols"] == {"state", "label", "region", "carrier", "last"}
    assert b'data-label="Notes"' not in page.content
    page = operator.get("/numbers/?cols=notes&cols=state&q=138&cols=nonsense")
    assert page.context["cols"] == {"state", "notes"}
    text = page.content.decode()
    assert 'data-label="Notes">Ask first<' in text
    assert 'data-label="Carrier"' not in text
    for address in (page.context["next_url"], page.context["sort_url"]):
        assert "cols=state%2Cnotes" in address
        assert operator.get(f"/numbers/{address}").context["cols"] == {"state", "notes"}
    assert 'name="cols" value="state,notes"' in text
    assert operator.get("/numbers/?cols=nonsense").context["cols"] > {"state"}


def test_the_filters_offer_what_there_is_and_keep_what_was_asked(
    pool: Pool, operator: Client
) -> None:
    number = Number.objects.get(value=ONE)
    for tag in ("vip", "late"):
        NumberTag.objects.create(number=number, pool=pool, value=ONE, tag=tag)
    made = NumberImport.objects.create(pool=pool, file_name="march.csv")
    page = operator.get("/numbers/?tag=gone&region=Mars")
    assert page.context["tags"] == ["gone", "late", "vip"]
    assert page.context["regions"] == ["Mars", "Beijing"]
    assert page.context["imports"] == [(made.public_id, "march.csv")]
    text = page.content.decode()
    assert f'<option value="{made.public_id}">{made.public_id} · march.csv</option>' in text
    assert '<option value="gone" selected>' in text


def test_tags_are_those_of_the_pools_that_one_may_see(pool: Pool, operator: Client) -> None:
    other = Account.objects.create(slug="other", name="Other")
    theirs = services.pool_create(actor="test", slug="theirs", name="Theirs", account=other)
    services.numbers_add(actor="test", pool=theirs, values=["+8613911111111"])
    for made, value, tag in ((pool, ONE, "ours"), (theirs, "+8613911111111", "theirs")):
        number = Number.objects.get(value=value)
        NumberTag.objects.create(number=number, pool=made, value=value, tag=tag)
    reader = operator.get("/numbers/").wsgi_request.principal
    assert lists.tags(reader) == ["ours", "theirs"]
    assert lists.tags(reader, pool_slug="east") == ["ours"]
    assert lists.tags(reader, limit=1) == ["ours"]
