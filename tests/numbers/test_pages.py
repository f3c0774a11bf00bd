"""The pages of pools and numbers: what they answer, to which users, and what they refuse."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from numbers import pool as commands
from numbers import services
from numbers.models import CallRecord, MinuteSample, Number, Pool
from poolsite import hotpath
from poolsite.access.models import Account, AuditEntry, Grant, Membership, User
from poolsite.aggregates import paging
from poolsite.runtime.redis_server import RedisServer

pytestmark = pytest.mark.django_db(transaction=True)

ONE = "+8613800000001"


@pytest.fixture
def pool(clean_redis: RedisServer) -> Pool:
    """A pool of three registered numbers that belongs to the account `evergreen`."""
    account = Account.objects.create(slug="evergreen", name="Evergreen")
    made = services.pool_create(actor="test", slug="east", name="=East", account=account)
    numbers = [f"+861380000000{n}" for n in range(3)]
    services.numbers_add(actor="test", pool=made, values=numbers)
    for number in numbers:
        hotpath.run(commands.event("east", commands.Event.of("reg", number=number)))
    return made


@pytest.fixture
def as_operator() -> Client:
    """A browser of an operator who may act."""
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def member_of() -> Callable[[Account], Client]:
    """A function that returns an owner's browser."""

    def make(account: Account) -> Client:
        user = User.objects.create_user(f"owner-{account.slug}")
        Membership.objects.create(user=user, account=account, role="owner")
        client = Client()
        client.force_login(user)
        return client

    return make


def send(client: Client, path: str, **data: Any) -> Any:
    return client.post(path, data, content_type="application/json")


def test_every_page_opens_for_an_operator(pool: Pool, as_operator: Client) -> None:
    paths = [
        "/pools/",
        "/pools/east/",
        "/pools/east/settings/",
        "/pools/east/tiles/",
        "/pools/east/samples/?seconds=7200",
        "/pools/east/sizing/",
        f"/numbers/{ONE}/",
        f"/numbers/{ONE}/?at=2026-01-01T10:00:00",
        f"/numbers/{ONE}/story/",
        "/who-had/",
        f"/who-had/?what={ONE}&by=number&at=2026-01-01T10:00:00",
    ]
    assert {path: as_operator.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)


def test_pages_open_while_redis_is_away(
    pool: Pool, as_operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_args: object, **_more: object) -> Any:
        raise hotpath.Unavailable("Redis is away")

    monkeypatch.setattr(hotpath, "run", away)
    monkeypatch.setattr(hotpath, "run_batch", lambda to_run: [hotpath.Unavailable()] * len(to_run))
    for path in ("/pools/", "/pools/east/", f"/numbers/{ONE}/"):
        assert as_operator.get(path).status_code == 200
    assert as_operator.get("/pools/east/sizing/").status_code == 503


def test_a_foreign_pool_and_its_numbers_look_like_missing_ones(
    pool: Pool, member_of: Callable[[Account], Client]
) -> None:
    stranger = member_of(Account.objects.create(slug="other", name="Other"))
    for path in (
        "/pools/east/",
        "/pools/east/tiles/",
        f"/numbers/{ONE}/",
        f"/numbers/{ONE}/story/",
    ):
        assert stranger.get(path).status_code == 404
    assert b"east" not in stranger.get("/pools/").content


def test_the_last_call_is_not_that_of_the_account_that_had_the_number(
    pool: Pool, member_of: Callable[[Account], Client]
) -> None:
    now = timezone.now()
    CallRecord.objects.create(
        pool=pool, number=ONE, started_at=now, ended_at=now, seq=1, generation=1
    )
    other = Account.objects.create(slug="other", name="Other")
    west = services.pool_create(actor="test", slug="west", account=other)
    services.numbers_move(actor="test", numbers=list(Number.objects.filter(value=ONE)), pool=west)
    (row,) = member_of(other).get("/numbers/states/", {"n": ONE}).json()["rows"]
    assert row["last"] == ""


def test_an_owner_looks_and_may_not_act(pool: Pool, member_of: Callable[[Account], Client]) -> None:
    assert pool.account is not None
    owner = member_of(pool.account)
    assert owner.get("/pools/east/").status_code == 200
    for path in ("/pools/east/pause/", f"/numbers/{ONE}/quarantine/"):
        assert send(owner, path, reason="no").status_code == 403
    pool.refresh_from_db()
    assert pool.paused_at is None


@pytest.mark.parametrize(
    "path", ["/pools/east/pause/", f"/numbers/{ONE}/quarantine/", f"/numbers/{ONE}/hangup/"]
)
@pytest.mark.parametrize("body", ["{}", '{"reason": "  "}', '{"reason": 3}', "[]", "no json"])
def test_without_a_reason_nothing_is_done(
    pool: Pool, as_operator: Client, path: str, body: str
) -> None:
    before = AuditEntry.objects.count()
    answer = as_operator.post(path, body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json()["detail"]
    assert AuditEntry.objects.count() == before


def test_quarantine_and_release_are_seen_in_the_story(pool: Pool, as_operator: Client) -> None:
    assert send(as_operator, f"/numbers/{ONE}/quarantine/", reason="complaints").status_code == 200
    story = as_operator.get(f"/numbers/{ONE}/story/").json()
    assert (story["letter"], story["quarantined"]) == ("Q", True)
    assert story["items"][0]["title"] == "Quarantined"
    assert story["items"][0]["why"] == "complaints"
    assert send(as_operator, f"/numbers/{ONE}/release/").status_code == 200
    assert as_operator.get(f"/numbers/{ONE}/story/").json()["letter"] == "R"
    assert Number.objects.get(value=ONE).quarantined_at is None


def test_a_forced_hangup_of_a_free_number_is_refused_with_its_reason(
    pool: Pool, as_operator: Client
) -> None:
    answer = send(as_operator, f"/numbers/{ONE}/hangup/", reason="stuck")
    assert answer.status_code == 409
    assert "not in a call" in answer.json()["detail"]


def test_a_running_call_stands_in_the_story_before_sql_has_it(
    pool: Pool, as_operator: Client
) -> None:
    call = commands.Event.of("call", number=ONE, call_id="c-1", agent="Wang Fang")
    hotpath.run(commands.event("east", call))
    assert not CallRecord.objects.exists()
    story = as_operator.get(f"/numbers/{ONE}/story/").json()
    assert story["in_call"]
    assert story["items"][0]["title"] == "Picked for Wang Fang"
    assert "lease ends" in story["hint"]


def test_tiles_name_every_number_once_with_its_letter(pool: Pool, as_operator: Client) -> None:
    hotpath.run(commands.event("east", commands.Event.of("call", number=ONE, call_id="c-1")))
    tiles = as_operator.get("/pools/east/tiles/").json()
    assert tiles["numbers"] == [f"+861380000000{n}" for n in range(3)]
    assert tiles["states"] == "RCR"
    assert len(tiles["region"]) == len(tiles["switch"]) == 3
    assert as_operator.get("/pools/east/tiles/?page=7").json()["numbers"] == []


@pytest.mark.parametrize("seconds", ["", "-1", "60", "99999999", "1e3", "３６００"])
def test_a_range_that_is_not_offered_is_refused(
    pool: Pool, as_operator: Client, seconds: str
) -> None:
    answer = as_operator.get("/pools/east/samples/", {"seconds": seconds})
    assert answer.status_code == 422


def test_who_had_a_number_finds_the_call_by_any_of_the_four(
    pool: Pool, as_operator: Client
) -> None:
    began = timezone.now() - timedelta(minutes=10)
    CallRecord.objects.create(
        pool=pool,
        number=ONE,
        call_id="c-77",
        agent="Li Jun",
        callee="+8613900000000",
        started_at=began,
        ended_at=began + timedelta(minutes=5),
        ended_how="hangup",
        generation=pool.generation,
        seq=1,
    )
    local = (began + timedelta(minutes=1)).astimezone(ZoneInfo("Asia/Shanghai"))
    for by, what in (
        ("number", "138 0000 0001"),
        ("callee", "+86 139 0000 0000"),
        ("agent", "Li Jun"),
        ("call_id", "c-77"),
    ):
        answer = as_operator.get(
            "/who-had/", {"by": by, "what": what, "at": f"{local:%Y-%m-%dT%H:%M:%S}"}
        )
        assert b"Li Jun" in answer.content, by
        assert b"1 call at" in answer.content, by
    page = as_operator.get(f"/numbers/{ONE}/", {"at": f"{local:%Y-%m-%dT%H:%M:%S}"})
    assert b"this number was in a call of Li Jun" in page.content


def test_a_pool_is_created_once_and_a_bad_slug_is_named(
    clean_redis: RedisServer, as_operator: Client
) -> None:
    good = {"name": "West", "slug": "west", "account": ""}
    assert as_operator.post("/pools/new/", good)["Location"] == "/pools/west/"
    again = as_operator.post("/pools/new/", good)
    assert again.status_code == 422
    assert b"Choose a different one" in again.content
    bad = as_operator.post("/pools/new/", {**good, "slug": "Not A Slug"})
    assert bad.status_code == 422
    assert Pool.objects.count() == 1


def test_only_what_was_changed_in_the_settings_is_saved_and_audited(
    pool: Pool, as_operator: Client
) -> None:
    page = as_operator.get("/pools/east/settings/")
    form = page.context["form"]
    data = {name: form[name].value() for name in form.fields}
    data = {name: value for name, value in data.items() if value is not False and value is not None}
    saved = as_operator.post("/pools/east/settings/", {**data, "cooldown_seconds": "7 s"})
    assert saved.status_code == 302, saved.context["form"].errors
    pool.refresh_from_db()
    assert pool.cooldown_seconds == 7
    entry = AuditEntry.objects.filter(action="numbers.pool_configure").get()
    assert entry.after == {"cooldown_seconds": 7}
    bad = as_operator.post("/pools/east/settings/", {**data, "lease_seconds": "-1 s"})
    assert bad.status_code == 422


def test_the_advice_names_the_missing_numbers(pool: Pool, as_operator: Client) -> None:
    now = timezone.now().replace(second=0, microsecond=0)
    for minute in range(1, 31):
        MinuteSample.objects.create(
            pool=pool,
            minute=now - timedelta(minutes=minute),
            offered=2,
            carried=2,
            call_seconds=360,
        )
    began = now - timedelta(minutes=20)
    CallRecord.objects.create(
        pool=pool,
        number=ONE,
        started_at=began,
        ended_at=began + timedelta(minutes=3),
        generation=1,
        seq=1,
    )
    advice = as_operator.get("/pools/east/sizing/").json()
    assert advice["measured"]
    assert advice["offered_erlangs"] == 6.0
    assert advice["needed"] == 13
    assert advice["usable"] == 3
    assert advice["advice"]["text"].startswith("add 10 numbers")
    assert [lines for lines, _share in advice["curve"]] == sorted(
        lines for lines, _share in advice["curve"]
    )


def test_the_list_is_exported_without_formulas(pool: Pool, as_operator: Client) -> None:
    lines = as_operator.get("/pools/?format=csv").getvalue().decode("utf-8-sig").splitlines()
    assert lines[1].startswith("east,'=East,open,0,3")


def test_the_file_and_the_filters_cover_every_page(
    pool: Pool, as_operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "PAGE_ROWS", 1)
    services.pool_create(actor="test", slug="west")
    services.pool_pause(actor="test", pool=Pool.objects.get(slug="west"), reason="test")
    lines = as_operator.get("/pools/?format=csv").getvalue().decode("utf-8-sig").splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["east", "west"]
    first = as_operator.get("/pools/").context
    assert ([row.pool.slug for row in first["rows"]], first["next_url"]) == (
        ["east"],
        "?after=east",
    )
    unknown = as_operator.get("/pools/?show=everything").context
    assert len(unknown["rows"]) == 1
    paused = as_operator.get("/pools/?show=paused").context
    assert ([row.pool.slug for row in paused["rows"]], paused["next_url"]) == (["west"], "")
    by_name = as_operator.get("/pools/?sort=-name").context
    assert [row.pool.slug for row in by_name["rows"]] == ["west"]
    assert by_name["next_url"] == "?sort=-name&after=1"


def test_the_page_says_recovering_while_redis_is(pool: Pool, as_operator: Client) -> None:
    """SQL hears of the end with the history."""
    Pool.objects.update(recovering_since=timezone.now())
    assert b"data-recovering" not in as_operator.get("/pools/east/").content


def test_reconcile_says_what_it_found(pool: Pool, as_operator: Client) -> None:
    assert send(as_operator, "/pools/east/reconcile/").json()["title"] == "No differences"
    hotpath.client().hdel(commands.PoolKeys("east").numstate, ONE)
    found = send(as_operator, "/pools/east/reconcile/").json()
    assert "repaired" in found["title"]
    assert as_operator.get(f"/numbers/{ONE}/story/").json()["letter"] != "-"
