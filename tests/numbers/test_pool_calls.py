"""Rules of calls: ids, leases, deletion, inbound, quarantine, force, counters, history."""

from numbers import pool
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest
from tests.support.waiting import patient

A, B, C = "13800000001", "13800000002", "13800000003"


# -- call ids ----------------------------------------------------------------------------------


def test_a_call_with_the_same_id_gets_the_same_number(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    first = bench.event("call", call_id="x")
    again = bench.event("call", call_id="x")
    assert (again.code, again.number, again.state, again.reason) == (1, A, "busy+up", "repeat")
    assert again.lease_seconds == first.lease_seconds == 14_400
    assert bench.idle() == [B]
    assert bench.figures().carried == 1


def test_the_same_id_for_another_number_is_a_conflict(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="x")
    refused = bench.event("call", B, call_id="x")
    assert (refused.code, refused.reason) == (-1, "conflict")
    assert bench.idle() == [B]


def test_a_hangup_may_give_the_id_alone(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="x")
    ended = bench.event("hangup", call_id="x")
    assert (ended.code, ended.number, ended.state) == (1, A, "idle+up")


def test_an_ended_id_is_known_for_ten_minutes(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="x")
    bench.event("hangup", call_id="x")
    bench.advance(599)
    assert bench.event("call", call_id="x").reason == "ended"
    bench.advance(2)
    assert bench.event("call", call_id="x").ok


def test_a_hangup_before_its_call_is_early_and_ends_the_id(bench: PoolUnderTest) -> None:
    bench.add(A)
    early = bench.event("hangup", A, call_id="x")
    assert (early.code, early.reason) == (1, "early")
    assert bench.event("call", call_id="x").reason == "ended"
    assert bench.event("hangup", call_id="y").reason == "early"
    assert bench.event("call", call_id="y").reason == "ended"
    assert bench.idle() == [A]


def test_a_repeated_hangup_changes_nothing(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="x")
    bench.event("hangup", A, call_id="x")
    bench.event("call", call_id="next")
    before = bench.everything()
    repeat = bench.event("hangup", A, call_id="x")
    assert (repeat.code, repeat.reason, repeat.state) == (1, "repeat", "busy+up")
    assert bench.everything() == before


def test_a_hangup_with_another_id_does_not_end_the_call(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="x")
    refused = bench.event("hangup", A, call_id="other")
    assert (refused.code, refused.reason, refused.state) == (-1, "other call", "busy+up")


def test_a_hangup_without_an_id_ends_only_a_call_made_without_one(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="x")
    bench.event("call", B)
    assert bench.event("hangup", A).reason == "call id needed"
    assert bench.event("hangup", B).ok
    assert bench.event("call", B).ok
    assert bench.event("hangup", B, call_id="y").reason == "other call"


def test_a_call_id_may_hold_any_printable_text(bench: PoolUnderTest) -> None:
    bench.add(A)
    strange = 'a"b\\c/{}🎈 %s'
    assert bench.event("call", call_id=strange, agent='李"四\\').ok
    state = bench.state(A)
    assert state is not None
    assert state.call is not None
    assert (state.call.call_id, state.call.agent) == (strange, '李"四\\')
    assert bench.event("hangup", A, call_id=strange).ok
    assert bench.event("hangup", call_id=strange).reason == "repeat"
    assert [c.call_id for c in bench.changes() if c.event in ("call", "hangup")] == [strange] * 2


# -- deletion in a call ------------------------------------------------------------------------


def test_a_number_added_again_waits_for_its_old_call(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="x")
    assert bench.event("del", A).state == "nodata"
    assert bench.event("add", A).state == "idle+down"
    assert bench.event("reg", A).state == "idle+up"
    assert bench.idle() == []
    assert bench.event("call", A).reason == "old call"
    assert bench.event("call").reason == "exhausted"
    assert bench.event("call", A, direction="in").reason == "old call"
    ended = bench.event("hangup", call_id="x")
    assert (ended.code, ended.reason, ended.state) == (1, "old call", "idle+up")
    assert bench.idle() == [A]


def test_the_old_hangup_does_not_bring_a_deleted_number_back(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="x")
    bench.event("del", A)
    ended = bench.event("hangup", A, call_id="x")
    assert (ended.code, ended.state) == (1, "nodata")
    assert bench.state(A) is None
    assert bench.figures().old_calls == 0
    assert bench.event("hangup", A, call_id="x").reason == "repeat"
    assert bench.client.zcard(KEYS.timers) == 0


def test_without_ids_the_table_holds_for_a_deleted_number(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A)
    bench.event("del", A)
    ended = bench.event("hangup", A)
    assert (ended.code, ended.state, ended.reason) == (0, "nodata", "old call")
    assert bench.event("hangup", A).reason == "unknown number"
    bench.add(A)
    assert bench.idle() == [A]


def test_an_old_call_ends_with_its_lease(bench: PoolUnderTest) -> None:
    bench.create_again(lease_seconds=60)
    bench.add(A)
    bench.event("call", call_id="x")
    bench.event("del", A)
    bench.add(A)
    bench.advance(61)
    assert bench.sweep().lapsed == 1
    assert bench.idle() == [A]
    assert bench.changes()[-1].reason == "lease ended"


# -- leases ------------------------------------------------------------------------------------


def test_a_call_without_a_switch_is_released_at_its_deadline(bench: PoolUnderTest) -> None:
    bench.create_again(lease_seconds=60)
    bench.add(A)
    bench.event("call", call_id="x")
    bench.advance(59)
    assert bench.sweep().lapsed == 0
    bench.advance(1)
    assert bench.sweep().lapsed == 1
    assert bench.idle() == [A]
    assert bench.changes()[-1].reason == "lease ended"
    assert bench.event("hangup", call_id="x").reason == "repeat"


def test_renew_moves_the_deadline(bench: PoolUnderTest) -> None:
    bench.create_again(lease_seconds=60)
    bench.add(A)
    bench.event("call", call_id="x")
    bench.advance(50)
    renewed = bench.event("renew", call_id="x")
    assert (renewed.code, renewed.number, renewed.lease_seconds) == (1, A, 60)
    bench.advance(50)
    assert bench.sweep().lapsed == 0
    assert bench.event("renew", A, call_id="y").reason == "other call"
    assert bench.event("renew", A).reason == "call id needed"
    assert bench.event("renew", call_id="z").reason == "unknown call"
    bench.event("hangup", call_id="x")
    assert bench.event("renew", A).reason == "not in a call"


def test_an_alive_switch_that_does_not_list_a_call_has_lost_its_hangup(
    bench: PoolUnderTest,
) -> None:
    bench.create_again(lease_seconds=60)
    bench.add(A, B)
    bench.event("call", call_id="x", switch="sw", incarnation="boot-1")
    bench.advance(55)
    bench.event("call", call_id="y", switch="sw", incarnation="boot-1")
    bench.advance(6)
    assert bench.sweep().lapsed == 1
    assert bench.idle() == [A]
    assert bench.changes()[-1].reason == "lost hangup"


def test_a_call_that_no_list_could_name_yet_is_suspect_and_not_released(
    bench: PoolUnderTest,
) -> None:
    """The switch's lists do not arrive, but its events do: the call may well be running."""
    bench.create_again(lease_seconds=60, suspect_seconds=120)
    bench.add(A)
    bench.event("call", call_id="w", switch="sw", incarnation="boot-0")
    bench.live_list([("w", A)], incarnation="boot-0")
    bench.event("hangup", call_id="w")
    for incarnation in ("boot-0", "boot-1"):  # also where only an earlier incarnation sent lists
        bench.advance(1)
        bench.event("call", call_id=incarnation, switch="sw", incarnation=incarnation)
        bench.advance(55)
        bench.event("reg", A, switch="sw", incarnation=incarnation)
        bench.advance(5)
        assert bench.sweep().suspected == 1
        assert bench.changes()[-1].reason == "no live list"
        bench.advance(3)
        assert bench.live_list([(incarnation, A)], incarnation=incarnation).renewed == 1
        assert bench.why_not(A) == "busy"
        bench.event("hangup", call_id=incarnation)


def test_an_alive_switch_that_lists_a_call_renews_it(bench: PoolUnderTest) -> None:
    bench.create_again(lease_seconds=60)
    bench.add(A)
    bench.event("call", call_id="x", switch="sw", incarnation="boot-1")
    for _ in range(5):
        bench.advance(30)
        assert bench.live_list([("x", A)]).renewed == 1
        assert bench.sweep().lapsed == 0
    bench.advance(60)  # listed a lease ago, and heard since
    assert bench.sweep().renewed == 1
    bench.advance(60)
    assert bench.sweep().suspected == 1


def test_a_silent_switchs_call_is_suspect_before_it_is_released(bench: PoolUnderTest) -> None:
    bench.create_again(lease_seconds=60, suspect_seconds=120, switch_interval_seconds=10)
    bench.add(A)
    bench.event("call", call_id="x", switch="sw", incarnation="boot-1")
    bench.advance(60)
    assert bench.sweep().suspected == 1
    assert bench.why_not(A) == "suspect"
    refused = bench.event("call", A)
    assert (refused.code, refused.reason, refused.state) == (-1, "suspect", "busy+up")
    bench.advance(119)
    assert bench.sweep().lapsed == 0
    bench.advance(1)
    assert bench.sweep().lapsed == 1
    assert bench.idle() == [A]
    last = bench.changes()[-1]
    assert (last.event, last.reason, last.before) == ("released", "lease ended", "bus")


def test_a_renewed_call_is_suspect_no_longer(bench: PoolUnderTest) -> None:
    bench.create_again(lease_seconds=60, switch_interval_seconds=10)
    bench.add(A)
    bench.event("call", call_id="x", switch="sw", incarnation="boot-1")
    bench.advance(60)
    assert bench.sweep().suspected == 1
    assert bench.event("renew", call_id="x").ok
    assert bench.why_not(A) == "busy"
    bench.advance(60)
    assert bench.sweep().suspected == 1
    assert bench.live_list([("x", A)]).renewed == 1
    assert bench.why_not(A) == "busy"


# -- inbound -----------------------------------------------------------------------------------


def test_an_inbound_call_takes_a_resting_or_quarantined_number(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=100)
    bench.add(A, B)
    bench.event("call", A)
    bench.event("hangup", A)
    bench.run(pool.quarantine(SLUG, [B], "spam"))
    assert bench.event("call", A, direction="in").state == "busy+up"
    assert bench.event("call", B, direction="in").state == "busy+up"
    figures = bench.figures()
    assert (figures.carried, figures.carried_in, figures.offered) == (1, 2, 1)
    assert bench.event("hangup", B).ok
    assert bench.why_not(B) == "quarantined"


def test_an_inbound_call_to_a_busy_number_is_refused(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A)
    assert bench.event("call", A, direction="in").reason == "busy"
    assert bench.event("call", direction="in").reason == "malformed number"


def test_an_inbound_call_names_the_agent_within_the_window(bench: PoolUnderTest) -> None:
    bench.create_again(callback_window_seconds=100)
    bench.add(A)
    bench.event("call", A, call_id="x", agent='an "agent"')
    bench.event("hangup", call_id="x")
    bench.advance(100)
    assert bench.event("call", A, call_id="in1", direction="in").last_agent == 'an "agent"'
    bench.event("hangup", call_id="in1")
    bench.advance(1)
    assert bench.event("call", A, call_id="in2", direction="in").last_agent is None


def test_the_last_agent_is_the_one_of_the_last_call(bench: PoolUnderTest) -> None:
    bench.add(A)
    for agent in ("first", "", "second"):
        bench.event("call", A, agent=agent)
        bench.event("hangup", A)
    assert bench.event("call", A, direction="in").last_agent == "second"


# -- quarantine, force, pause ------------------------------------------------------------------


def test_quarantine_takes_a_number_out_without_touching_its_registration(
    bench: PoolUnderTest,
) -> None:
    bench.add(A, B)
    done = bench.run(pool.quarantine(SLUG, [A, C], "carrier says spam"))
    assert [(o.code, o.state, o.reason) for o in done] == [
        (1, "idle+up", ""),
        (0, "nodata", "unknown number"),
    ]
    assert bench.idle() == [B]
    assert bench.event("call", A).reason == "quarantined"
    assert bench.event("call", A, force=True).reason == "quarantined"
    assert bench.run(pool.quarantine(SLUG, [A], "again"))[0].reason == "repeat"
    state = bench.state(A)
    assert state is not None
    assert (state.quarantine_reason, state.letter(0)) == ("carrier says spam", "Q")
    bench.event("unreg", A)
    bench.event("reg", A)
    assert bench.idle() == [B]
    assert bench.figures().quarantined == 1
    assert bench.run(pool.unquarantine(SLUG, [A]))[0].ok
    assert sorted(bench.idle()) == [A, B]
    assert bench.figures().quarantined == 0


def test_quarantine_in_a_call_holds_after_it(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A)
    assert bench.run(pool.quarantine(SLUG, [A], "later"))[0].state == "busy+up"
    assert bench.event("hangup", A).state == "idle+up"
    assert bench.idle() == []
    bench.event("del", A)
    assert bench.figures().quarantined == 0


def test_an_operator_ends_a_call(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="x", switch="sw", incarnation="boot-1")
    other = bench.run(pool.force_hangup(SLUG, A, "stuck", call_id="y"))
    assert other.reason == "other call"
    forced = bench.run(pool.force_hangup(SLUG, A, "stuck"))
    assert (forced.code, forced.state, forced.call_id, forced.switch) == (1, "idle+up", "x", "sw")
    assert bench.idle() == [A]
    assert (bench.changes()[-1].event, bench.changes()[-1].reason) == ("forced", "stuck")
    assert bench.run(pool.force_hangup(SLUG, A, "stuck")).reason == "not in a call"
    assert bench.event("hangup", call_id="x").reason == "repeat"


def test_a_paused_pool_refuses_calls_and_nothing_else(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="x")
    assert bench.run(pool.pause(SLUG, "maintenance")).ok
    assert bench.run(pool.pause(SLUG, "maintenance")).reason == "repeat"
    assert bench.event("call", call_id="y").reason == "paused"
    assert bench.event("call", call_id="x").number == A
    assert bench.event("hangup", call_id="x").ok
    assert bench.event("unreg", B).ok
    assert bench.figures().status == "paused"
    assert bench.run(pool.resume(SLUG)).ok
    assert bench.event("call", call_id="y").ok
    assert bench.figures().blocked == 0


# -- counters and history ----------------------------------------------------------------------


def test_blocked_counts_once_per_call_id(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", call_id="a")
    for _ in range(3):
        assert bench.event("call", call_id="b").reason == "exhausted"
    bench.event("call")
    figures = bench.figures()
    assert (figures.offered, figures.carried, figures.blocked) == (3, 1, 2)
    bench.event("hangup", call_id="a")
    assert bench.event("call", call_id="b").ok
    figures = bench.figures()
    assert (figures.offered, figures.carried, figures.blocked) == (3, 2, 2)


def test_counters_tell_every_state(bench: PoolUnderTest) -> None:
    bench.create_again(cooldown_seconds=10)
    bench.add(A, B, C)
    bench.add("1", "2", up=False)
    bench.event("call", A)
    bench.event("call", B)
    bench.event("unreg", B)
    bench.event("call", C)
    bench.event("hangup", C)
    figures = bench.figures()
    assert (figures.numbers, figures.idle_up, figures.idle_down) == (5, 1, 2)
    assert (figures.busy_up, figures.busy_down) == (1, 1)
    assert (figures.resting, figures.pickable) == (1, 0)


def test_every_change_is_one_entry_with_the_next_number(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("add", A)
    bench.event("call", call_id="x", agent="ann", callee="139", switch="sw", incarnation="b")
    bench.event("call", call_id="x")
    bench.event("unreg", A)
    bench.event("hangup", call_id="x")
    bench.event("hangup", call_id="x")
    entries = bench.client.xrange(KEYS.log)
    assert [entry[0] for entry in entries] == [f"{n}-0" for n in range(1, len(entries) + 1)]
    assert bench.figures().seq == len(entries)
    changes = bench.changes()
    assert [c.event for c in changes] == [
        *("created", "add", "reg", "switch", "call", "unreg", "hangup")
    ]
    call = changes[4]
    assert (call.number, call.state_before, call.state_after) == (A, "idle+up", "busy+up")
    assert (call.call_id, call.agent, call.callee) == ("x", "ann", "139")
    assert (call.switch, call.incarnation, call.direction) == ("sw", "b", "out")
    assert (call.picked, call.letter_after) == ("longest", "C")
    assert (changes[6].state_before, changes[6].state_after) == ("busy+down", "idle+down")
    assert changes[6].call_id == "x"


def test_a_full_stream_drops_the_oldest_and_counts_them(bench: PoolUnderTest) -> None:
    bench.create_again(log_limit=300)
    bench.add(A)
    for _ in range(300):
        bench.event("call", A)
        bench.event("hangup", A)
    figures = bench.figures()
    kept = bench.client.xlen(KEYS.log)
    assert figures.seq == kept + figures.dropped
    assert 300 <= kept <= 300 + 256
    assert figures.dropped > 0


def test_a_change_wakes_watchers_at_most_once_in_a_tenth_of_a_second(
    bench: PoolUnderTest,
) -> None:
    bench.add(A)
    bench.step(1)
    with bench.client.pubsub(ignore_subscribe_messages=True) as heard:
        heard.subscribe(KEYS.wake_channel)
        heard.get_message(timeout=patient(5))
        for _ in range(20):
            bench.event("call", A)
            bench.event("hangup", A)
            bench.step(0.01)
        bench.client.publish(KEYS.wake_channel, "no more")
        messages = 0
        while heard.get_message(timeout=patient(5))["data"] != "no more":
            messages += 1
    assert messages == 2
