"""The demo's campaign is backfilled once, despite interruptions; each person gets one hash."""

import pytest

from billing import demo
from billing.demo import campaign
from billing.models import Campaign, OptOut
from poolsite.access.models import User
from poolsite.jobs import runner
from poolsite.people import demo as people
from poolsite.runtime.demo_data import DemoData

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def data(monkeypatch) -> DemoData:
    monkeypatch.setattr(campaign, "RECIPIENTS", 40)
    made = DemoData(password="a demo's password", small=True)
    people.make_people(made)
    demo.make_billing(made)
    return made


def test_it_is_made_once_and_goes_on_where_it_was_interrupted(data, monkeypatch) -> None:
    with monkeypatch.context() as interrupted:
        interrupted.setattr(runner, "run", lambda job: None)
        demo.fill_campaign()
    assert Campaign.objects.get().uploaded == 0
    for _ in range(2):
        demo.fill_campaign()
    made = Campaign.objects.get()
    assert made.job is not None
    assert (made.name, made.job.ended) == (campaign.NAME, True)
    assert made.recipients.count() == 40
    assert OptOut.objects.count() == 14


def test_the_password_of_all_is_hashed_and_compared_once(data, monkeypatch) -> None:
    asked = []
    check = User.check_password
    monkeypatch.setattr(
        User, "check_password", lambda self, text: asked.append(text) or check(self, text)
    )
    people.make_people(data)
    assert len(asked) == 1
    users = User.objects.filter(username__in=[each[0] for each in people.PEOPLE])
    assert users.count() == len(people.PEOPLE)
    assert len({user.password for user in users}) == 1
