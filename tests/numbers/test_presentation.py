"""For each event one title and one line with the reason."""

import pytest

from numbers.models import PoolEvent
from numbers.presentation import chip_of, dot_of, end_of, story_items, word_of
from poolsite.number_format import masked

AT = 1_763_693_000_000_000


def said(event: str, **more: object) -> tuple[str, str, str]:
    (item,) = story_items([PoolEvent(event=event, at_us=AT, **more)])
    return item.title, item.why, item.dot


def test_a_pick_says_for_whom_by_which_rule_and_hides_most_of_the_callee() -> None:
    detail = {"picked": "longest", "since_us": AT - 41_000_000}
    assert said(
        "call",
        agent="Wang Fang",
        callee="+8613912342231",
        state_after="bu",
        detail=detail,
    ) == (
        "Picked for Wang Fang",
        "Idle longest: 41 s · callee 139\N{NO-BREAK SPACE}••••\N{NO-BREAK SPACE}2231",
        "call",
    )


def test_a_hangup_says_how_long_by_whom_and_which_call() -> None:
    title, why, dot = said(
        "hangup",
        switch="fs-03",
        call_id="7f31-c2",
        state_before="bu",
        state_after="iu",
        detail={"since_us": AT - 301_000_000},
    )
    assert (title, why, dot) == ("Hung up", "after 5 min 1 s · via fs-03 · call 7f31-c2", "ready")


@pytest.mark.parametrize(
    ("reason", "title"),
    [
        ("switch restarted", "Released: its switch restarted"),
        ("lost hangup", "Released: the hangup was lost"),
        ("lease ended", "Released: the lease ended"),
        ("not in live list", "Released: its switch no longer lists the call"),
    ],
)
def test_a_release_says_why_nobody_hung_up(reason: str, title: str) -> None:
    assert said("released", reason=reason, state_after="iu")[:2] == (title, "")


def test_an_operators_reasons_stand_beside_what_was_done() -> None:
    assert said("quarantined", reason="complaints", state_after="iuq") == (
        "Quarantined",
        "complaints",
        "quarantined",
    )
    assert said("forced", reason="stuck", state_after="id")[:2] == (
        "Hung up by an operator",
        "stuck",
    )


def test_a_rest_that_was_shortened_says_why() -> None:
    title, why, dot = said("rested", reason="clock put back", state_after="iu")
    assert (title, why, dot) == ("Rest shortened", "Redis' clock was set back", "ready")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("hangup", "Hung up"),
        ("hangup: busy callee", "Hung up: busy callee"),
        ("forced: stuck: for hours", "Hung up by an operator: stuck: for hours"),
        ("released: lost hangup", "Released: the hangup was lost"),
        ("released: unpaid", "Released: the call was not paid for"),
        ("released: something new", "Released: something new"),
        ("lost with Redis", "Lost when Redis lost data"),
        ("", ""),
        ("another: word", "another: word"),
    ],
)
def test_how_a_call_ended_is_said_in_words(how: str, words: str) -> None:
    assert end_of(how) == words


def test_an_event_without_a_saying_of_its_own_is_shown_as_it_is() -> None:
    assert said("half_open", reason="later", state_after="")[:2] == ("Half open", "later")


@pytest.mark.parametrize(
    ("code", "dot"),
    [("iu", "ready"), ("bu", "call"), ("bd", "lost"), ("id", "offline"), ("buq", "quarantined")],
)
def test_the_dot_is_the_state_after_the_event(code: str, dot: str) -> None:
    assert dot_of(code) == dot


def test_what_is_no_telephone_number_is_not_masked() -> None:
    assert masked("sip:anna@example.org") == "sip:anna@example.org"
    assert masked("10086") == "10086"
    assert masked("+4930123456") == "493\N{NO-BREAK SPACE}••••\N{NO-BREAK SPACE}3456"


def test_an_unknown_letter_is_a_number_that_redis_does_not_have() -> None:
    assert word_of("!") == word_of("-") == "Not in Redis"
    assert chip_of("!") == "chip--bad"
