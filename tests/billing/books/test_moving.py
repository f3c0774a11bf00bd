"""A wallet moves to its own server, is rebuilt as a drill, and reports on itself."""

import io

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from billing import servers
from billing import wallet as commands
from billing.persistence.running import persist_shard
from billing.services import moving, rebuilding, safe_mode
from poolsite.access.models import AuditEntry
from poolsite.runtime import startup
from poolsite.runtime.redis_server import RedisServer
from tests.billing.books.book_support import figures, held, live_wallet, reported, run
from tests.billing.books.test_running import green, used
from tests.support.parts import starts_processes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
@starts_processes
def heavy(tmp_path_factory, settings):
    """A second Redis, named `heavy`."""
    server = RedisServer(tmp_path_factory.mktemp("heavy"), append_only=False).start()
    settings.BILLING_REDIS_URLS = {"heavy": server.url}
    yield server
    server.stop()


def command(*arguments):
    out = io.StringIO()
    call_command("wallet", *arguments, stdout=out)
    return out.getvalue()


def test_a_wallet_moves_with_everything_and_goes_on_there(heavy, clean_redis):
    row = used()
    before = figures(row)
    said = command("move", row.slug, "heavy", "--reason", "a busy customer")
    assert "difference 0.0000 spendable, 0.0000 held" in said
    row.refresh_from_db()
    assert row.redis == "heavy"
    after = figures(row)
    assert (after.bal, after.held, after.status) == (before.bal, before.held, "open")
    with clean_redis.client() as client, heavy.client() as other:
        assert client.keys("{acct." + row.slug + "}*") == []
        assert other.exists(row.tag)
    held(row, "new")
    reported(row, "m4", "video")
    green()
    assert persist_shard(0, 1).accounts == 1
    green()
    assert AuditEntry.objects.filter(action="billing.wallet_move").count() == 1
    assert safe_mode.watch()["rebuilt"] == 0
    command("move", row.slug, "-")
    row.refresh_from_db()
    assert row.redis == ""
    green()


def test_a_server_that_is_lost_is_rebuilt_and_others_are_left_alone(heavy):
    mine, other = used(), used()
    command("move", mine.slug, "heavy")
    persist_shard(0, 1)
    mine.refresh_from_db()
    safe_mode.watch()
    with heavy.client() as client:
        client.flushall()
    assert safe_mode.watch()["rebuilt"] == 1
    green()
    other.refresh_from_db()
    assert other.generation == 1


def test_a_server_that_is_away_stops_only_its_own_wallets(heavy):
    mine, other = used(), used()
    command("move", mine.slug, "heavy")
    held(mine, "more") if mine.redis else None
    heavy.stop()
    held(other, "more")
    turn = persist_shard(0, 1)
    assert (turn.accounts, turn.failed) == (1, 1)
    assert safe_mode.watch()["failed"] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "nobody"),
        ("rebuild", "nobody"),
        ("move", "nobody", "heavy"),
        ("move", "acme", "nowhere"),
        ("move", "acme", "-"),
        ("freeze", "acme"),
        ("dance",),
        (),
    ],
)
def test_bad_arguments_are_one_clear_error_and_change_nothing(arguments):
    row = live_wallet("acme")
    with pytest.raises(CommandError):
        command(*arguments)
    row.refresh_from_db()
    assert (row.redis, row.generation, row.status) == ("", 1, "open")
    assert row.recovering_since is None


def test_a_move_that_ends_after_the_old_life_is_rebuilt_where_it_was(heavy, monkeypatch):
    row = used()
    before = figures(row)

    def dies(*_arguments):
        raise rebuilding.NotRebuiltError("the worker died")

    monkeypatch.setattr(moving, "_name_server", dies)
    with pytest.raises(CommandError):
        command("move", row.slug, "heavy")
    assert run(row, commands.balance(row.slug)) is None
    assert safe_mode.watch()["rebuilt"] == 1
    row.refresh_from_db()
    assert row.redis == ""
    assert figures(row).bal == before.bal
    green()


def test_the_drill_tells_seconds_and_no_difference():
    row = used()
    said = command("rebuild", row.slug)
    assert "rebuilt in" in said
    assert "difference 0.0000 spendable, 0.0000 held" in said
    green()


def test_a_drill_is_refused_while_entries_cannot_be_written(clean_redis):
    row = used()
    with clean_redis.client() as client:
        client.xdel("{acct." + row.slug + "}:log", "3-0")
    before = figures(row)
    with pytest.raises(CommandError, match="SQL can't store"):
        command("rebuild", row.slug)
    row.refresh_from_db()
    assert (row.recovering_since, row.generation) == (None, 1)
    assert figures(row).bal == before.bal


def test_show_tells_both_sides():
    row = used("acme")
    assert "entries to write" in command("show")
    said = command("show", "acme")
    assert "acme  open  default server" in said
    run(row, commands.destroy(row.slug, row.generation))
    assert "lost; a worker rebuilds it" in command("show", "acme")


def test_freezing_from_the_command_line_refuses_holds():
    row = live_wallet("acme")
    command("freeze", "acme", "--reason", "a complaint")
    assert held(row, "m").answer == "frozen"
    command("unfreeze", "acme", "--reason", "settled")
    assert held(row, "m").answer == "held"


def test_a_server_that_drops_data_is_refused_at_the_start(heavy):
    with heavy.client() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        assert any("allkeys-lru" in refusal for refusal in startup.redis_refusals())
        client.config_set("maxmemory-policy", "noeviction")
    assert list(startup.redis_refusals()) == []


def test_an_unknown_server_is_named():
    row = live_wallet(redis="")
    type(row).objects.filter(pk=row.pk).update(redis="gone")
    row.refresh_from_db()
    with pytest.raises(servers.UnknownServerError, match="gone"):
        servers.path(row)
