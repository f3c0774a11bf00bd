"""The clean-up: ended sessions are deleted; ending tokens and guessed codes become incidents."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from poolsite.access import services
from poolsite.access.models import ApiToken, CodeGuard, FinanceRequest
from poolsite.access.rights import versions
from poolsite.operations.models import Incident
from poolsite.people import tidying
from poolsite.people.tasks import tidy
from tests.access.world import World


def open_incidents(kind: str) -> list[Incident]:
    return list(Incident.objects.filter(type=kind, until=None))


def test_ended_sessions_go_without_a_word_and_live_ones_stay(world: World) -> None:
    ended, live = world.client("agent"), world.client("agent")
    Session.objects.filter(session_key=ended.session.session_key).update(
        expire_date=timezone.now() - timedelta(seconds=1)
    )
    before = versions.version_of("user", world.users["agent"].pk)
    assert tidying.delete_ended_sessions() == 1
    assert versions.version_of("user", world.users["agent"].pk) == before
    assert live.get("/profile/").status_code == 200


@pytest.mark.parametrize(
    ("days", "used_days_ago", "severity"),
    [(13, 1, "warning"), (-1, 1, "critical"), (15, 1, ""), (13, 31, ""), (13, None, "")],
)
def test_a_token_in_use_that_ends_soon_is_an_incident(
    world: World, days: int, used_days_ago: int | None, severity: str
) -> None:
    token, _ = services.token_create(name="t", account=world.own, resources=["*"], actor="t")
    now = timezone.now()
    used = None if used_days_ago is None else now - timedelta(days=used_days_ago)
    ApiToken.objects.update(expires_at=now + timedelta(days=days, hours=1), last_used_at=used)
    tidy(0, 1)
    found = open_incidents(tidying.TOKEN_ENDS)
    assert [each.severity for each in found] == ([severity] if severity else [])
    if found:
        assert found[0].account_id == world.own.pk
        token.refresh_from_db()
        services.token_revoke(token=token, actor="t")
        tidy(0, 1)
        assert open_incidents(tidying.TOKEN_ENDS) == []


def test_codes_that_somebody_guesses_are_an_incident_until_it_stops(world: World) -> None:
    user = world.users["finance"]
    now = timezone.now()
    CodeGuard.objects.create(user=user, failures=10, blocked_until=now)
    tidy(0, 1)
    assert [each.object for each in open_incidents(tidying.CODES_GUESSED)] == [str(user.pk)]
    CodeGuard.objects.update(failures=0)
    tidy(0, 1)
    assert open_incidents(tidying.CODES_GUESSED) == []


def test_a_finance_grant_that_waits_is_an_incident_until_it_is_decided(world: World) -> None:
    asked = FinanceRequest.objects.create(
        user=world.users["operate"], asked_by=world.users["finance"], reason="new here"
    )
    tidy(0, 1)
    (found,) = open_incidents(tidying.FINANCE_WAITS)
    assert (found.object, found.url) == (str(asked.pk), f"/operators/finance/{asked.pk}/")
    FinanceRequest.objects.update(status=FinanceRequest.Status.WITHDRAWN)
    tidy(0, 1)
    assert open_incidents(tidying.FINANCE_WAITS) == []
