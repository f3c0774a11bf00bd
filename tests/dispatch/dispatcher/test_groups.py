"""A group's lifetime, its figures, its wakes, its history; and the same scripts on each server."""

import contextlib
import re
from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.hotpath.library import library_of
from poolsite.runtime.redis_server import RedisServer
from queueing.dispatch import dispatcher
from queueing.dispatch.dispatcher import DispatchRefusedError, GroupSettings, reasons
from tests.dispatch.dispatcher.group_support import (
    GENERATION,
    KEYS,
    SLUG,
    GroupUnderTest,
    group_on,
)
from tests.support.cluster import RedisCluster
from tests.support.plugin import on_servers
from tests.support.waiting import patient

LUA = Path(__file__).parents[3] / "queueing" / "dispatch" / "lua"


def walk_through(group: GroupUnderTest) -> None:
    """Run every command once, on the server's own clock."""
    group.create()
    group.run(dispatcher.manual(SLUG, "as-2", "open", 1))
    front, back = group.front("f1", "SIP"), group.back()
    assert front.start("1").peer == back.key
    assert front.message("f1/1").outcome == "routed"
    assert back.message("f1/1").outcome == "routed"
    assert front.heard().ok
    assert group.run(dispatcher.route(SLUG, "f1/1")).messages_from_back == 1
    assert group.run(dispatcher.explain(SLUG, "f1/1")).if_blocked.reason == "none open"
    assert len(group.run(dispatcher.sessions_of(SLUG, front.key)).rows) == 1
    assert len(back.take()) == 2
    assert front.start("2", key="k", ttl_seconds=60).outcome == "routed"
    assert group.run(dispatcher.end_session(SLUG, "f1/2", "why"))
    assert front.end("f1/1").outcome == "routed"
    assert front.deliver().outcome == "routed"
    assert back.resync(("f9/1", "f9", None)).provisional == 1
    assert group.run(dispatcher.manual(SLUG, "as-1", "blocked")).ended == 1
    assert group.run(dispatcher.upgrade_flag(SLUG, "as-2", False)).repeat is True
    group.sweep()
    assert group.run(dispatcher.configure(SLUG, GroupSettings(sharing="key"))) == ""
    assert front.clear().outcome == "routed"
    assert front.lose()
    assert group.run(dispatcher.disconnect(SLUG, back.key, "why"))
    assert group.run(dispatcher.names(SLUG))["as-1"][1] == back.id
    assert set(group.rows()) == {front.key, back.key}
    figures = group.show()
    assert (figures.sessions, figures.started, figures.messages) == (0, 2, 2)


def test_every_command_works_on_each_server(each_redis: RedisServer) -> None:
    with group_on(each_redis.url) as group:
        walk_through(group)
        group.check_structure()
        assert group.run(dispatcher.forget_name(SLUG, "as-2")) == ""
        assert group.run(dispatcher.destroy(SLUG, GENERATION)) == ""
        assert group.client.keys("*disp*") == []
        assert group.run(dispatcher.destroy(SLUG, GENERATION)) == "repeat"


def test_every_command_works_on_a_cluster(redis_cluster: RedisCluster) -> None:
    with contextlib.closing(hotpath.HotPath(redis_cluster.url)) as path:
        group = GroupUnderTest(path, None)
        walk_through(group)


GIVING_BACK = {"ack", "clear", "destroy", "end", "end_session", "forget_name", "heard", "lost"}
GIVING_BACK |= {"sweep"}
READING = {"explain", "names", "outbox", "peers", "route", "sessions_of", "show"}


@on_servers("redis-7", "valkey-9")
def test_every_command_is_a_function_where_there_are_functions(each_redis: RedisServer) -> None:
    """A library that does not load would stay unnoticed: each call falls back to its text."""
    with group_on(each_redis.url) as group:
        group.client.function_flush()
        group.client.config_resetstat()
        walk_through(group)
        ran = group.client.info("commandstats")
        assert not {"cmdstat_eval", "cmdstat_evalsha"} & set(ran)
        assert ran["cmdstat_function|load"]["calls"] == 1
        library = library_of(dispatcher.SCRIPTS["start"])
        assert library is not None
        (row,) = group.client.function_list(library=library.name)
        functions = dict(zip(row[::2], row[1::2], strict=True))["functions"]
        each = [dict(zip(one[::2], one[1::2], strict=True)) for one in functions]
        flags = {one["name"]: set(one["flags"]) for one in each}
        assert flags == {
            library.function(script): {
                flag
                for flag, names in (("no-writes", READING), ("allow-oom", GIVING_BACK))
                if name in names
            }
            for name, script in dispatcher.SCRIPTS.items()
        }


@pytest.mark.parametrize("script", sorted(set(dispatcher.SCRIPTS) - {"create", "destroy"}))
def test_a_script_of_two_releases_ago_writes_nothing(clean_redis: RedisServer, script: str) -> None:
    with group_on(clean_redis.url) as group:
        group.create()
        group.client.hset(KEYS.tag, mapping={"script_version": 9, "script_sha": "abc"})
        before = group.client.hgetall(KEYS.tag)
        assert group.raw(script) == ["-1", "script outdated abc"]
        assert group.client.hgetall(KEYS.tag) == before


@pytest.mark.parametrize("script", sorted(set(dispatcher.SCRIPTS) - {"create", "destroy"}))
def test_a_group_that_is_not_there_is_refused(clean_redis: RedisServer, script: str) -> None:
    with group_on(clean_redis.url) as group:
        assert group.raw(script) == ["-1", "no such group"]
        assert group.client.keys("*") == []


def test_the_same_generation_again_changes_nothing_and_an_older_one_is_refused(
    group: GroupUnderTest,
) -> None:
    group.back()
    assert group.run(dispatcher.create(SLUG, GENERATION, group.settings)) == "exists"
    assert len(group.rows()) == 1
    with pytest.raises(DispatchRefusedError, match=f"other generation {GENERATION}"):
        group.run(dispatcher.create(SLUG, GENERATION - 1, group.settings))
    with pytest.raises(DispatchRefusedError, match="other generation"):
        group.run(dispatcher.destroy(SLUG, GENERATION - 1))
    assert group.run(dispatcher.create(SLUG, GENERATION + 1, group.settings)) == ""
    assert group.rows() == {}


def test_a_removed_group_closes_its_peers_sockets(group: GroupUnderTest) -> None:
    back = group.back()
    hears = group.client.pubsub(ignore_subscribe_messages=True)
    hears.subscribe(dispatcher.process_channel("web1"))
    hears.get_message(timeout=patient(5))
    group.run(dispatcher.destroy(SLUG, GENERATION))
    told = hears.get_message(timeout=patient(5))
    assert told["data"] == f"{SLUG}\t{back.key}\t{back.link}\tclose\t4404\tdestroyed"
    hears.close()


def test_a_frame_reaches_the_process_that_holds_the_socket_with_its_text(
    group: GroupUnderTest,
) -> None:
    front, back = group.front(), group.back(process="web2")
    hears = group.client.pubsub(ignore_subscribe_messages=True)
    hears.subscribe(dispatcher.process_channel("web2"))
    hears.get_message(timeout=patient(5))
    front.start("1", body='{"a":1}')
    told = hears.get_message(timeout=patient(5))["data"]
    slug, peer, link, seq, entry = told.split("\t", 4)
    assert (slug, peer, link, seq) == (SLUG, back.key, back.link, "1")
    want = dispatcher.OutboxEntry("start", "f1/1", "f1", "", '{"a":1}')
    assert dispatcher.read_entry(entry) == want
    assert back.frames() == [(1, want)]
    hears.close()


def test_pages_are_woken_ten_times_a_second_at_most(group: GroupUnderTest) -> None:
    front, _ = group.front(), group.back()
    hears = group.client.pubsub(ignore_subscribe_messages=True)
    hears.subscribe(KEYS.wake_channel)
    hears.get_message(timeout=patient(5))
    assert group.clock is not None
    group.clock.advance(1)
    for n in range(20):
        front.start(str(n))
    group.clock.advance(0.1)
    front.message("f1/1")
    group.client.publish(KEYS.wake_channel, "no more")
    heard = [hears.get_message(timeout=patient(5))["data"] for _ in range(3)]
    assert heard.index("no more") == 2
    hears.close()


def test_settings_fit_their_columns_and_come_back(group: GroupUnderTest) -> None:
    changed = GroupSettings(
        *(3_600, 99, 86_400, "turn", 31_536_000, 2_592_000, 10_000, 20_000, 9_999_999_999)
    )
    assert group.run(dispatcher.configure(SLUG, changed)) == ""
    assert group.show().settings == changed
    for wrong in ({"heartbeat_seconds": 0}, {"sharing": "x"}, {"ends_limit": 20_001}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            GroupSettings(**wrong).columns()


def test_the_lua_knows_the_same_profiles() -> None:
    text = (LUA / "modules" / "profiles.lua").read_text(encoding="utf-8")
    row = r"(\w+) = \{ has_own_id = (\w+), routes = '(\w+)', arrival = '(\w+)' \}"
    rows = re.findall(row, text)
    assert {name: (own == "true", routes, how) for name, own, routes, how in rows} == {
        each.name: (each.own_id, each.routes, each.arrival) for each in dispatcher.PROFILES.values()
    }


def test_every_reason_in_the_lua_has_its_word_in_python() -> None:
    words = {value for name, value in vars(reasons).items() if name.isupper()} - {reasons.REFUSALS}
    text = "\n".join(
        "\n".join(line for line in path.read_text("utf-8").splitlines())
        for path in LUA.rglob("*.lua")
    )
    found = set(
        re.findall(r"(?:reason = |refuse\(|'-1', |free\([\w.]+, |return nil, )'([^']+)'", text)
    )
    prefixes = (reasons.MALFORMED, reasons.SCRIPT_OUTDATED, reasons.OTHER_GENERATION)
    assert {each for each in found if not each.startswith(prefixes)} <= words
    for each in reasons.REFUSALS:
        assert f"'{each}'" in text, each


def test_the_history_is_read_back_with_names_that_the_events_have(group: GroupUnderTest) -> None:
    front = group.front()
    group.back()
    group.run(dispatcher.manual(SLUG, "as-1", "drain", None, "an upgrade"))
    front.lose("gone away")
    changes = group.changes()
    assert [change.event for change in changes] == [
        *("created", "registered", "registered", "drain", "pending"),
    ]
    assert changes[1].data == "BICC"
    assert changes[2].name == "as-1"
    assert (changes[4].peer, changes[4].reason) == ("f:f1", "gone away")
    with pytest.raises(ValueError, match="not an entry of a group"):
        dispatcher.read_change({"at": "1", "e": "registered"})
    assert {change.event for change in changes} <= set(dispatcher.EVENTS)


def test_every_event_of_the_lua_is_declared() -> None:
    text = "\n".join(path.read_text("utf-8") for path in LUA.rglob("*.lua"))
    found = set(re.findall(r"\blog\('(\w+)'", text))
    found |= set(re.findall(r"(?:new|reconnect|restart|takeover) = '(\w+)'", text))
    found |= {"created", "recovering", "open", "drain", "blocked", "upgrading", "upgraded"}
    assert found - {"instance"} <= set(dispatcher.EVENTS)
    assert set(dispatcher.EVENTS) <= found


def test_a_full_history_drops_the_oldest_and_counts_them(group: GroupUnderTest) -> None:
    group.run(dispatcher.configure(SLUG, GroupSettings(log_limit=5)))
    front = group.front()
    for _ in range(126):
        front.lose()
        front = group.again(front)
    assert len(group.changes()) == group.show().seq == 255
    front.lose()  # the 256th entry: the history is compared with its limit
    assert (group.show().dropped, len(group.changes())) == (251, 5)
    group.client.delete(KEYS.tag)  # the law of a gapless history does not apply to this one
