"""Groups, and peers that use the group's scripts directly, for tests of services and interfaces."""

import itertools
from typing import Any

from poolsite import history, hotpath
from poolsite.access.models import Account
from poolsite.access.services import token_create
from poolsite.history import Aggregate
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import services
from queueing.dispatch.models import Group

SLUG = "asi"
_links = itertools.count(1)


def make_group(slug: str = SLUG, **given: Any) -> Group:
    """Make a group, with the defaults unless given otherwise."""
    return services.group_create(actor="test", slug=slug, **given)


class Peer:
    """A registered peer with its link and the numbers of its own frames."""

    def __init__(self, slug: str, registered: commands.Registered, link: str) -> None:
        self.slug, self.link = slug, link
        self.id, self.key, self.arrival = registered.id, registered.peer, registered.arrival
        self._seq = registered.received

    def next(self) -> int:
        self._seq += 1
        return self._seq

    def beat(self) -> commands.Heard:
        return hotpath.run(commands.heard(self.slug, "web", [(self.key, self.link, 0)]))[0]

    def outbox(self) -> list[commands.OutboxEntry]:
        found = hotpath.run(commands.outbox(self.slug, self.key, self.link, 1, 500))
        return [commands.read_entry(text) for _, text in found]

    def start(self, word: str) -> str:
        """Begin a session and return its ID. Fail if it was refused."""
        routed = hotpath.run(commands.start(self.slug, self.key, self.link, self.next(), word))
        assert routed.outcome == "routed", routed.reason
        return f"{self.id}/{word}"

    def end(self, session: str, *, failed: bool = False) -> commands.Routed:
        place = (self.slug, self.key, self.link, self.next())
        return hotpath.run(commands.end(*place, session, failed=failed))

    def leave(self) -> None:
        """Close its socket."""
        assert hotpath.run(commands.lost(self.slug, self.key, self.link, "closed"))


def front(slug: str = SLUG, peer_id: str = "sip-1", *, profile: str = "BICC") -> Peer:
    """Return a linked front-end."""
    link = f"{next(_links):016x}"
    command = commands.register_front(slug, peer_id, profile, "boot1", link, "web")
    return Peer(slug, hotpath.run(command), link)


def back(
    name: str,
    slug: str = SLUG,
    *,
    version: str = "1.0",
    capacity: int = 100,
    boot: str = "boot1",
) -> Peer:
    """Return an instance newly linked under a name."""
    link = f"{next(_links):016x}"
    offered = hotpath.run(commands.offer(slug))
    command = commands.register_back(
        *(slug, offered, offered, boot, name, version, capacity, 1, link, "web")
    )
    return Peer(slug, hotpath.run(command), link)


def row_of(name: str, slug: str = SLUG) -> commands.PeerRow:
    """Return the instance under a name that has not stopped."""
    rows = hotpath.run(commands.peers(slug))
    return next(row for row in rows if row.name == name and row.state != "stop")


def show(slug: str = SLUG) -> commands.GroupFigures:
    found = hotpath.run(commands.show(slug))
    assert found is not None
    return found


def drain(group: Group) -> None:
    """Drain a group's history into SQL."""
    while history.drain("dispatch.group", Aggregate(group.tag, group.pk)).lag:
        pass


def token_for(*groups: Group, account: Account | None = None, **given: Any) -> str:
    """Return the secret of a token that may link peers to these groups, and read them."""
    given.setdefault("actions", ["dispatch.link", "dispatch.view"])
    owner = account if account is not None else groups[0].account if groups else None
    _, secret = token_create(
        name="peer",
        account=owner,
        resources=[f"group:{group.slug}" for group in groups],
        actor="test",
        **given,
    )
    return secret
