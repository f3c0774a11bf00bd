"""A desk with queues and agents in SQL and Redis, for the tests of the line's services."""

from dataclasses import dataclass
from typing import Any

from django.core.cache import cache

from poolsite import history, hotpath
from poolsite.access.models import Account, User
from poolsite.access.services import membership_set, user_create
from poolsite.history import Aggregate
from queueing.line import desk as commands
from queueing.line.models import Agent, Desk, Queue
from queueing.line.services import calibration, desks, estimates


@dataclass
class LineWorld:
    """One tenant's desk."""

    account: Account
    desk: Desk
    queue: Queue

    def agent(self, name: str, *queues: Queue, online: bool = False, **given: Any) -> Agent:
        """Make a user with the role agent, at the desk."""
        user = user_create(username=name, actor="test")
        membership_set(user=user, account=self.account, roles=["agent"], actor="test")
        made = desks.agent_create(
            actor="test",
            desk=self.desk,
            user=User.objects.get(pk=user.pk),
            name=name.title(),
            queues=queues or [self.queue],
            **given,
        )
        if online:
            assert hotpath.run(commands.login(self.desk.slug, made.user_id)).answer == "ok"
        return made

    def drain(self) -> None:
        """Drain the history into SQL."""
        history.drain("line.desk", Aggregate(self.desk.tag, self.desk.pk))

    def sweep(self) -> None:
        """Run one sweep."""
        hotpath.run(commands.sweep(self.desk.slug))


def make_line(slug: str = "support", **settings: Any) -> LineWorld:
    """Make a tenant, its desk and one queue."""
    account = Account.objects.create(slug=f"{slug}-house", name=slug.title())
    desk = desks.desk_create(actor="test", slug=slug, name=slug.title(), account=account)
    queue = desks.queue_create(
        actor="test", desk=desk, slug=f"{slug}-help", name="Help", **settings
    )
    return LineWorld(account, desk, queue)


def fresh_line() -> LineWorld:
    """Make a line without cached data of other tests' queues."""
    cache.clear()
    estimates._KNOWN.clear()
    calibration._KNOWN.clear()
    return make_line()
