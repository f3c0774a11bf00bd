"""Rules of switches: incarnations, ghosts, registrations, recovery."""

from numbers import pool
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest

A, B, C = "13800000001", "13800000002", "13800000003"
SWITCH = {"switch": "sw", "incarnation": "boot-1"}


# -- incarnations ------------------------------------------------------------------------------


def test_a_new_incarnation_releases_the_switchs_calls_and_no_others(bench: PoolUnderTest) -> None:
    bench.create_again(media=("sw",))
    bench.add(A, B, C)
    bench.event("call", A, call_id="a", **SWITCH)
    bench.event("call", B, call_id="b", switch="other", incarnation="boot-1")
    started = bench.event("reg", C, switch="sw", incarnation="boot-2")
    assert started.release
    assert bench.why_not(A) == "busy"
    assert bench.run(pool.release(SLUG)) is False
    assert bench.why_not(A) == "resting"
    assert bench.why_not(B) == "busy"
    bench.advance(30)
    assert bench.why_not(A) == ""
    restart = next(c for c in bench.changes() if c.event == "restart")
    assert (restart.switch, restart.incarnation) == ("sw", "boot-2")
    assert bench.changes()[-1].reason == "switch restarted"
    assert bench.event("call", call_id="a").reason == "ended"


def test_events_of_one_list_begin_one_life(bench: PoolUnderTest) -> None:
    bench.create_again(media=("sw",))
    bench.add(A, B, C)
    bench.event("call", A, call_id="a", **SWITCH)
    batch = [pool.Event.of("reg", each, switch="sw", incarnation="boot-2") for each in (B, C)]
    outcomes = bench.run(pool.events(SLUG, batch))
    assert [outcome.release for outcome in outcomes] == [True, False]
    assert [change.event for change in bench.changes()].count("restart") == 1


def test_a_superseded_incarnation_is_stale_and_changes_nothing(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="a", **SWITCH)
    bench.event("reg", B, switch="sw", incarnation="boot-2")
    before = bench.everything()
    for event, number in (("hangup", A), ("call", B), ("unreg", B), ("del", B)):
        stale = bench.event(event, number, call_id="a", **SWITCH)
        assert (stale.code, stale.reason) == (-1, "stale incarnation")
    assert bench.live_list([], incarnation="boot-1").reason == "stale incarnation"
    assert bench.everything() == before
    bench.run(pool.release(SLUG))


def test_the_last_sixteen_superseded_incarnations_are_known(bench: PoolUnderTest) -> None:
    bench.add(A)
    for boot in range(1, 19):
        assert bench.event("reg", A, switch="sw", incarnation=f"boot-{boot}").ok
    for boot in range(2, 18):
        stale = bench.event("reg", A, switch="sw", incarnation=f"boot-{boot}")
        assert stale.reason == "stale incarnation"
    assert bench.event("reg", A, switch="sw", incarnation="boot-18").ok
    assert bench.event("reg", A, switch="sw", incarnation="boot-1").ok  # forgotten: a new one


def test_a_restart_is_released_in_batches(bench: PoolUnderTest) -> None:
    bench.create_again(media=("sw",))
    numbers = [f"1380000{n:04d}" for n in range(1200)]
    for start in (0, 600):
        rows = [pool.StoredNumber(number, up=True) for number in numbers[start : start + 600]]
        assert bench.run(pool.load(SLUG, rows)) == 600
    for place, number in enumerate(numbers):
        assert bench.event("call", number, call_id=f"c{place}", **SWITCH).ok
    assert bench.live_list([], incarnation="boot-2").code == 1
    assert bench.run(pool.release(SLUG, 500)) is True
    assert bench.figures().busy_up == 700
    swept = bench.sweep()
    assert (swept.released, swept.more) == (500, True)
    assert bench.run(pool.release(SLUG, 500)) is False
    figures = bench.figures()
    assert (figures.busy_up, figures.resting, figures.releasing) == (0, 1200, False)


def test_registrations_outlive_a_restart(bench: PoolUnderTest) -> None:
    bench.event("add", A)
    bench.event("reg", A, contact="sip:a@1", expires=60, **SWITCH)
    bench.event("add", B, switch="sw", incarnation="boot-2")
    bench.sweep()
    assert bench.why_not(A) == ""
    bench.advance(60)
    assert bench.sweep().expired == 1
    assert bench.why_not(A) == "offline"


def test_a_switch_that_never_named_its_incarnation_may_begin_to(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="a", switch="sw")
    named = bench.event("reg", A, **SWITCH)
    assert (named.code, named.release) == (1, False)
    assert bench.event("hangup", call_id="a", **SWITCH).ok
    assert bench.event("call", A, switch="sw").ok


def test_an_incarnation_without_a_switch_is_malformed(bench: PoolUnderTest) -> None:
    assert bench.raw("add", A, "incarnation", "x")[3] == "malformed incarnation"


def test_too_many_switches_are_refused_until_one_has_no_calls(bench: PoolUnderTest) -> None:
    bench.add(*(f"{n:04d}" for n in range(1, 258)))
    for n in range(1, 257):
        assert bench.event("call", f"{n:04d}", switch=f"sw{n}", incarnation="b").ok
    assert bench.event("call", "0257", switch="sw257").reason == "too many switches"
    bench.event("hangup", "0009")
    assert bench.event("call", "0257", switch="sw257").ok
    assert "sw9" not in bench.figures().switches


# -- ghosts ------------------------------------------------------------------------------------


def test_a_lease_without_a_call_is_named_then_released_by_two_lists_in_a_row(
    bench: PoolUnderTest,
) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="ghost", **SWITCH)
    bench.event("call", B, call_id="alive", **SWITCH)
    bench.advance(11)
    first = bench.live_list([("alive", B)])
    assert (first.renewed, first.lease_without_call) == (1, (pool.Listed("ghost", A),))
    assert bench.why_not(A) == "busy"
    bench.advance(30)
    second = bench.live_list([("alive", B)])
    assert (second.released, second.lease_without_call) == ((pool.Listed("ghost", A),), ())
    assert bench.why_not(A) == ""
    assert bench.why_not(B) == "busy"
    assert bench.changes()[-1].reason == "not in live list"


def test_only_two_lists_in_a_row_heal(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="x", **SWITCH)
    for listed in ([], [("x", A)], [], [("x", A)], []):
        bench.advance(30)
        assert bench.live_list(listed).released == ()
    bench.advance(30)
    assert bench.live_list([]).released == (pool.Listed("x", A),)


def test_calls_younger_than_the_list_are_not_judged(bench: PoolUnderTest) -> None:
    bench.add(A)
    as_of = bench.figures().as_of_us
    bench.advance(5)
    bench.event("call", A, call_id="young", **SWITCH)
    bench.advance(60)
    assert bench.live_list([], as_of_us=as_of).lease_without_call == ()
    bench.advance(1)
    assert bench.live_list([], as_of_us=as_of + 1).lease_without_call == ()


def test_a_call_without_a_lease_is_named_then_taken_back(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("reg", A, **SWITCH)
    first = bench.live_list([("lost", A), ("unknown", "")])
    assert first.call_without_lease == (pool.Listed("lost", A), pool.Listed("unknown", ""))
    assert bench.why_not(A) == ""
    second = bench.live_list([("lost", A), ("unknown", "")])
    assert second.adopted == (pool.Listed("lost", A),)
    assert second.call_without_lease == (pool.Listed("unknown", ""),)
    assert bench.why_not(A) == "busy"
    assert bench.figures().carried == 0
    assert bench.event("hangup", A, call_id="lost", **SWITCH).ok


def test_a_call_that_ended_after_the_list_was_taken_is_not_judged(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="x", **SWITCH)
    as_of = bench.figures().as_of_us
    bench.advance(1)
    bench.event("hangup", A, call_id="x", **SWITCH)
    assert bench.live_list([("x", A)], as_of_us=as_of).call_without_lease == ()
    bench.advance(30)
    late = bench.live_list([("x", A)])
    assert late.call_without_lease == (pool.Listed("x", A),)


def test_two_calls_on_one_number_are_told(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="x", **SWITCH)
    told = bench.live_list([("x", B), ("y", A)])
    assert told.conflict == (pool.Listed("x", B), pool.Listed("y", A))


def test_lists_come_in_parts_and_in_order(bench: PoolUnderTest) -> None:
    bench.add(A, B)
    bench.event("call", A, call_id="a", **SWITCH)
    bench.event("call", B, call_id="b", **SWITCH)
    as_of = bench.advance(20)

    def part(calls: list[pool.Listed], *, first: bool, last: bool, as_of: int) -> pool.ListPart:
        command = pool.live_list(SLUG, "sw", "boot-1", as_of, calls, first=first, last=last)
        answer: pool.ListPart = bench.run(command)
        return answer

    assert part([pool.Listed("a", A)], first=True, last=False, as_of=as_of).renewed == 1
    done = part([pool.Listed("b", B)], first=False, last=True, as_of=as_of)
    assert (done.renewed, done.lease_without_call) == (1, ())
    assert part([], first=False, last=True, as_of=as_of).reason == "stale list"
    assert part([], first=True, last=True, as_of=as_of - 1).reason == "stale list"
    assert part([], first=True, last=True, as_of=as_of + 2_000_000).reason == "malformed as_of"


def test_an_operator_releases_a_ghost_at_once(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("call", A, call_id="ghost", **SWITCH)
    bench.advance(11)
    ghost = bench.live_list([]).lease_without_call[0]
    bench.run(pool.force_hangup(SLUG, ghost.number, "ghost", call_id=ghost.call_id))
    assert bench.why_not(A) == ""


# -- registrations -----------------------------------------------------------------------------


def test_a_number_is_up_while_any_contact_is(bench: PoolUnderTest) -> None:
    bench.event("add", A)
    bench.event("reg", A, contact="sip:a@1", expires=60)
    bench.event("reg", A, contact="sip:a@2", expires=120)
    assert bench.event("unreg", A, contact="sip:a@2").state == "idle+up"
    assert bench.event("reg", A, contact="sip:a@2", expires=120).ok
    bench.advance(60)
    assert bench.sweep().expired == 0
    assert bench.why_not(A) == ""
    bench.advance(60)
    assert bench.sweep().expired == 1
    assert bench.why_not(A) == "offline"
    assert (bench.changes()[-1].event, bench.changes()[-1].reason) == ("unreg", "expired")
    assert bench.client.zcard(KEYS.registrations) == 0


def test_a_refresh_moves_the_expiry_and_is_no_change(bench: PoolUnderTest) -> None:
    bench.event("add", A)
    bench.event("reg", A, contact="sip:a@1", expires=60)
    seq = bench.figures().seq
    bench.advance(50)
    assert bench.event("reg", A, contact="sip:a@1", expires=60).state == "idle+up"
    assert bench.figures().seq == seq
    bench.advance(50)
    assert bench.sweep().expired == 0


def test_a_late_message_of_a_contact_is_stale(bench: PoolUnderTest) -> None:
    bench.event("add", A)
    bench.event("reg", A, contact="c", expires=60, seq=7)
    late = bench.event("unreg", A, contact="c", seq=6)
    assert (late.code, late.reason, late.state) == (1, "stale", "idle+up")
    assert bench.event("unreg", A, contact="c", seq=8).state == "idle+down"
    late = bench.event("reg", A, contact="c", expires=60, seq=7)
    assert (late.code, late.reason, late.state) == (1, "stale", "idle+down")
    assert bench.event("reg", A, contact="c", expires=60, seq=9).state == "idle+up"


def test_unreg_without_a_contact_takes_the_whole_number_down(bench: PoolUnderTest) -> None:
    bench.event("add", A)
    bench.event("reg", A, contact="a", expires=60)
    bench.event("reg", A, contact="b", expires=60)
    assert bench.event("unreg", A).state == "idle+down"
    assert bench.client.zcard(KEYS.registrations) == 0


def test_a_plain_reg_does_not_expire(bench: PoolUnderTest) -> None:
    bench.add(A)
    bench.event("reg", A, contact="a", expires=60)
    bench.advance(61)
    assert bench.sweep().expired == 0
    assert bench.why_not(A) == ""


def test_expires_zero_is_an_unregistration(bench: PoolUnderTest) -> None:
    bench.event("add", A)
    bench.event("reg", A, contact="a", expires=60)
    assert bench.event("reg", A, contact="a", expires=0).state == "idle+down"


def test_contacts_are_bounded(bench: PoolUnderTest) -> None:
    bench.event("add", A)
    for n in range(16):
        assert bench.event("reg", A, contact=f"c{n}", expires=60).ok
    refused = bench.event("reg", A, contact="c16", expires=60)
    assert (refused.code, refused.reason) == (-1, "too many contacts")
    for n in range(200):  # each gone contact is stored for its seq, but not forever
        bench.event("reg", A, contact=f"d{n}", expires=0, seq=1)
    assert bench.client.hstrlen(KEYS.tag, "r:" + A) < 4_000


def test_a_registration_that_expires_in_a_call_leaves_the_call(bench: PoolUnderTest) -> None:
    bench.event("add", A)
    bench.event("reg", A, contact="a", expires=60)
    bench.event("call", A, call_id="x")
    bench.advance(60)
    assert bench.sweep().expired == 1
    assert bench.event("hangup", call_id="x").state == "idle+down"
    figures = bench.figures()
    assert (figures.idle_down, figures.busy_down) == (1, 0)


# -- Redis lost --------------------------------------------------------------------------------


def recover(bench: PoolUnderTest, **switches: str) -> None:
    command = pool.recover(
        SLUG, 2, bench.settings, open_after_seconds=3_600, switches=switches, now=bench.now
    )
    assert bench.run(command).ok
    rows = [
        pool.StoredNumber(A, up=True),
        pool.StoredNumber(B, up=True, quarantine="spam"),
        pool.StoredNumber(C),
    ]
    assert bench.run(pool.load(SLUG, rows, event="")) == 3


def test_a_recovering_pool_opens_when_every_switch_has_reported(bench: PoolUnderTest) -> None:
    bench.create_again(media=("two",))  # it restarted, so none of its calls is running
    recover(bench, one="b", two="b")
    assert bench.event("call").reason == "recovering"
    assert bench.run(pool.loaded(SLUG)).reason == "waiting"
    assert bench.live_list([("x", A)], switch="one", incarnation="b").adopted
    assert bench.figures().awaiting == ("two",)
    assert bench.event("reg", C, switch="two", incarnation="restarted").ok
    assert bench.figures().status == "open"
    assert bench.event("call").number == C
    assert bench.event("call").reason == "exhausted"
    assert bench.event("hangup", call_id="x", switch="one", incarnation="b").ok
    assert bench.event("call").number == A
    assert bench.why_not(B) == "quarantined"


def test_lists_are_taken_again_after_the_clock_was_put_back(bench: PoolUnderTest) -> None:
    bench.add(A)
    assert bench.event("call", call_id="x", switch="one", incarnation="b").number == A
    bench.advance(3_600)
    bench.live_list([("x", A)], switch="one", incarnation="b")
    bench.advance(-3_600)
    assert bench.live_list([("x", A)], switch="one", incarnation="b").renewed == 1


def test_a_call_from_before_the_clock_was_put_back_is_judged_like_any_other(
    bench: PoolUnderTest,
) -> None:
    bench.add(A)
    bench.advance(3_600)
    assert bench.event("call", call_id="x", switch="one", incarnation="b").number == A
    bench.advance(-3_600)
    for _ in range(3):
        bench.advance(11)
        bench.live_list([], switch="one", incarnation="b")
    assert bench.figures().busy_up == 0


def test_a_list_that_came_before_the_numbers_counts_for_nothing(bench: PoolUnderTest) -> None:
    recover(bench, one="b")
    assert bench.live_list([("x", A)], switch="one", incarnation="b")
    assert bench.run(pool.loaded(SLUG)).reason == "waiting"
    assert bench.event("call").reason == "recovering"
    bench.live_list([("x", A)], switch="one", incarnation="b")
    assert bench.figures().status == "open"


def test_no_inbound_call_is_taken_for_a_report_while_recovering(bench: PoolUnderTest) -> None:
    recover(bench, one="b")
    new = bench.event("call", A, call_id="new", direction="in", switch="one", incarnation="b")
    assert new.reason == "recovering"
    old = bench.event("call", A, call_id="old", switch="one", incarnation="b")
    assert old.ok


def test_a_recovering_pool_opens_after_the_longest_lease(bench: PoolUnderTest) -> None:
    recover(bench, one="b")
    bench.run(pool.loaded(SLUG))
    bench.advance(3_599)
    assert bench.sweep().opened == 0
    bench.advance(1)
    assert bench.sweep().opened == 1
    assert bench.event("call").ok


def test_an_operator_may_open_early_with_a_reason(bench: PoolUnderTest) -> None:
    recover(bench, one="b")
    assert bench.run(pool.open_now(SLUG, "we looked")).ok
    assert bench.event("call").ok
    opened = next(c for c in bench.changes() if c.event == "opened")
    assert opened.reason == "we looked"


def test_a_switch_re_reports_a_call_by_calling_again(bench: PoolUnderTest) -> None:
    recover(bench, sw="boot-1")
    again = bench.event("call", A, call_id="x", **SWITCH)
    assert (again.code, again.number, again.state) == (1, A, "busy+up")
    assert bench.event("call", C, call_id="y", **SWITCH).state == "busy+down"
    assert bench.event("call", A, call_id="z", **SWITCH).reason == "busy"
    assert bench.figures().carried == 0
    figures = bench.figures()
    assert (figures.busy_up, figures.busy_down) == (1, 1)


def test_a_pool_that_was_paused_is_paused_after_recovery(bench: PoolUnderTest) -> None:
    recover(bench)
    bench.run(pool.loaded(SLUG, paused=True))
    assert bench.event("call").reason == "paused"


def test_an_older_generation_is_refused_and_the_same_one_changes_nothing(
    bench: PoolUnderTest,
) -> None:
    recover(bench)
    before = bench.everything()
    assert bench.run(pool.create(SLUG, 2, bench.settings)).reason == "exists"
    refused = bench.run(pool.create(SLUG, 1, bench.settings))
    assert (refused.code, refused.reason) == (-1, "other generation 2")
    assert bench.everything() == before
    assert bench.run(pool.destroy(SLUG, 1)).reason == "other generation"
    assert bench.run(pool.destroy(SLUG, 2)).ok
    assert bench.client.exists(*KEYS.all) == 0
    bench.create()


def test_data_of_a_newer_release_names_the_new_script(bench: PoolUnderTest) -> None:
    bench.add(A)
    version = pool.SCRIPTS["event"].version
    bench.client.hset(KEYS.tag, mapping={"script_version": version + 1, "script_sha": "abc"})
    assert bench.event("call").ok  # two releases overlap
    bench.client.hset(KEYS.tag, "script_version", version + 2)
    refused = bench.event("hangup", A)
    assert (refused.code, refused.reason) == (-1, "script outdated abc")
    bench.client.hset(KEYS.tag, "script_version", version)


def test_a_call_taken_back_on_a_number_that_is_down_leaves_nothing_near(
    bench: PoolUnderTest,
) -> None:
    bench.create_again(near=True)
    bench.add(A, near="86")
    assert bench.event("unreg", A).ok
    for _ in range(2):
        bench.live_list([("x", A)])
        bench.advance(30)
    assert bench.event("reg", A).state == "busy+up"
    assert bench.problems() == []
