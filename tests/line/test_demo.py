"""The demo's desk is made once, and looks like a working morning."""

import pytest

from numbers.demo import POOLS
from poolsite.people.demo import make_people
from poolsite.runtime.demo_data import DemoData
from queueing.line import demo, laws
from queueing.line.models import Agent, Desk, Queue, Visit
from queueing.line.selectors import wallboard

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def test_the_demos_desk_is_made_once_and_fills_the_wallboard() -> None:
    data = DemoData(password="")
    make_people(data)
    demo.make_desk(data)
    demo.fill_past()
    counts = (Desk.objects.count(), Queue.objects.count(), Agent.objects.count())
    visits = Visit.objects.count()
    demo.make_desk(data)
    demo.fill_past()
    assert (Desk.objects.count(), Queue.objects.count(), Agent.objects.count()) == counts
    assert Visit.objects.count() == visits
    own = {pool.slug for pool in POOLS if pool.account == "evergreen"}
    assert Desk.objects.get().callback_pool in own
    board = wallboard.board(Desk.objects.get())
    assert [queue["name"] for queue in board["queues"]] == [name for _, name, *_ in demo.QUEUES]
    assert laws.check("support") == []
