"""Who counts as a second person: the graph of who gave whom access, against a plain model."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poolsite import dates
from poolsite.access import four_eyes, services
from poolsite.access.four_eyes import Link, dependence, shared_source, sources, why_dependent
from poolsite.access.models import AccessLink, Account, User
from tests.access.links import days_pass, operator
from tests.access.second_factor import give_app

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW = timedelta(days=30)
PEOPLE = range(6)


# -- the graph on its own --------------------------------------------------------------------------


def model_sources(person: int, links: Iterable[Link], now: datetime) -> set[int]:
    """Return all givers above a person, over the links that are young enough: the plain model."""
    young = [link for link in links if link.at > now - WINDOW]
    found: set[int] = set()
    following = [person]
    while following:
        each = following.pop()
        if each not in found:
            found.add(each)
            following += [link.giver for link in young if link.receiver == each]
    return found


a_link = st.builds(
    Link,
    giver=st.sampled_from(PEOPLE),
    receiver=st.sampled_from(PEOPLE),
    at=st.integers(0, 60).map(lambda day: BEGAN + timedelta(days=day)),
)


@given(st.lists(a_link, max_size=14), st.integers(0, 95))
def test_two_people_share_a_source_exactly_when_the_plain_model_says_so(
    links: list[Link], day: int
) -> None:
    now = BEGAN + timedelta(days=day, hours=1)
    for one, other in combinations(PEOPLE, 2):
        expected = model_sources(one, links, now) & model_sources(other, links, now)
        found = shared_source(sources(one, links), sources(other, links))
        assert bool(expected) is (found is not None and found[1] > now - WINDOW)


@given(st.lists(a_link, max_size=14))
def test_two_people_are_independent_from_the_very_moment_that_is_named(links: list[Link]) -> None:
    for one, other in combinations(PEOPLE, 2):
        found = shared_source(sources(one, links), sources(other, links))
        if found is None:
            continue
        until = found[1] + WINDOW
        just_before = until - timedelta(microseconds=1)
        for now, expected in ((just_before, True), (until, False)):
            shared = model_sources(one, links, now) & model_sources(other, links, now)
            assert bool(shared) is expected


# -- the rows that the services write --------------------------------------------------------------


@pytest.fixture
def people(db: None, clean_redis: Any) -> list[User]:
    return [operator(name) for name in ("ann", "ben", "cho", "dee")]


def invite(giver: User, receiver: User) -> None:
    _, secret = services.invitation_create(email=receiver.email, actor=giver)
    services.invitation_accept(secret=secret, user=receiver)


def grant(giver: User, receiver: User) -> None:
    services.grant_set(user=receiver, name="operate", granted=False, actor="test")
    services.grant_set(user=receiver, name="operate", actor=giver)


def give_role(giver: User, receiver: User) -> None:
    account, _ = Account.objects.get_or_create(slug="own", defaults={"name": "Own"})
    for roles, actor in (((), "test"), (("agent",), giver)):
        services.membership_set(user=receiver, account=account, roles=roles, actor=actor)


def reactivate(giver: User, receiver: User) -> None:
    services.user_deactivate(user=receiver, actor="test", reason="left")
    services.user_activate(user=receiver, actor=giver)


def reset_factor(giver: User, receiver: User) -> None:
    give_app(receiver)
    services.factors_remove(user=receiver, actor=giver)


ACTS: dict[str, Callable[[User, User], None]] = {
    "grant": grant,
    "role": give_role,
    "reactivate": reactivate,
    "factor": reset_factor,
}
steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(sorted(ACTS)), st.permutations(range(4))),
        st.tuples(st.just("wait"), st.integers(1, 20)),
    ),
    max_size=7,
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_what_operators_do_to_one_another_counts_as_in_the_plain_model(
    people: list[User], steps: list[tuple[str, Any]]
) -> None:
    with transaction.atomic():
        links, today = [], BEGAN
        for act, given in steps:
            if act == "wait":
                today += timedelta(days=given)
                days_pass(given)
            else:
                giver, receiver = given[:2]
                ACTS[act](people[giver], people[receiver])
                links.append(Link(giver, receiver, today))
        now = today + timedelta(hours=1)
        for one, other in combinations(range(4), 2):
            shared = model_sources(one, links, now) & model_sources(other, links, now)
            assert bool(shared) is (dependence(people[one], people[other]) is not None)
        transaction.set_rollback(True)


def test_an_invitation_links_whoever_joins_to_the_inviter(people: list[User]) -> None:
    ann, ben, *_ = people
    services.grant_set(user=ann, name="operate", actor="test")
    invite(ann, ben)
    assert dependence(ann, ben) is not None
    assert AccessLink.objects.get().how == "invited"


def test_what_the_server_s_administrator_does_links_nobody(people: list[User]) -> None:
    ann, ben, *_ = people
    services.grant_set(user=ben, name="operate", actor="manage.py user")
    services.user_deactivate(user=ben, actor="manage.py user", reason="left")
    services.user_activate(user=ben, actor="manage.py user")
    assert not AccessLink.objects.exists()
    assert dependence(ann, ben) is None


def test_what_people_do_to_themselves_links_nobody(people: list[User]) -> None:
    reset_factor(people[0], people[0])
    assert not AccessLink.objects.exists()


@pytest.mark.parametrize(
    ("acts", "told"),
    [
        ([("grant", 0, 1)], "Ann gave you a grant on "),
        ([("grant", 1, 0)], "You gave Ann a grant on "),
        ([("role", 0, 1)], "Ann gave you a role on "),
        ([("reactivate", 0, 1)], "Ann reactivated your user on "),
        ([("factor", 1, 0)], "You removed Ann's authenticator app on "),
        ([("grant", 0, 2), ("grant", 2, 1)], "Your access comes indirectly from Ann."),
        ([("grant", 1, 2), ("grant", 2, 0)], "Ann's access comes indirectly from you."),
        ([("grant", 2, 0), ("grant", 2, 1)], "Your access and Ann's access both come from cho."),
    ],
)
def test_the_reader_is_told_what_links_the_two_and_until_when(
    people: list[User], acts: list[tuple[str, int, int]], told: str
) -> None:
    ann, ben, *_ = people
    services.profile_change(user=ann, actor=ann, first_name="Ann")
    for act, giver, receiver in acts:
        ACTS[act](people[giver], people[receiver])
    ann.refresh_from_db()
    why = why_dependent(ben, ann)
    assert why.startswith(told)
    until = dependence(ben, ann)
    assert until is not None
    day = dates.moment(until.until)
    assert why.endswith(f" You can approve requests by Ann from {day}.")
    days_pass(30)
    assert why_dependent(ben, ann) == ""


def test_a_name_with_a_percent_sign_is_shown_as_it_is(people: list[User]) -> None:
    ann, ben, cho, _dee = people
    for user in (ann, cho):
        services.profile_change(user=user, actor=user, first_name="100%s %(asker)s")
        user.refresh_from_db()
    grant(cho, ann)
    grant(cho, ben)
    assert why_dependent(ben, ann).count("100%s %(asker)s") == 3


def test_the_window_is_a_setting(people: list[User], settings: Any) -> None:
    grant(people[0], people[1])
    settings.FOUR_EYES_APART_DAYS = 5
    days_pass(4.9)
    assert dependence(people[0], people[1]) is not None
    days_pass(0.2)
    assert dependence(people[0], people[1]) is None


# -- who may approve -------------------------------------------------------------------------------


def test_finance_operators_who_may_approve_are_named(db: None, clean_redis: Any) -> None:
    asker, *_ = [operator(name, "finance") for name in ("asker", "free", "gone", "tied")]
    operator("looker")
    services.user_deactivate(user=User.objects.get(username="gone"), actor="test", reason="x")
    AccessLink.objects.create(giver=asker, receiver=User.objects.get(username="tied"), how="role")
    assert [user.username for user in four_eyes.approvers(asker)] == ["free"]
    assert four_eyes.approvers(asker, but=[User.objects.get(username="free")]) == []
