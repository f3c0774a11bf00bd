"""Users of the tests of pools, and the pools that they act on."""

from dataclasses import dataclass
from typing import Any

from channels.db import database_sync_to_async

from numbers import pool as commands
from numbers import services
from numbers.models import Pool
from poolsite import access, history, hotpath
from poolsite.access.models import Account, User
from poolsite.access.services import grant_set, membership_set, token_create, user_create
from poolsite.history import Aggregate

# For coroutines: return the thread's connection, so that the test database can be dropped.
in_thread = database_sync_to_async


@dataclass(frozen=True)
class Tenant:
    """An account with its owner."""

    account: Account
    owner: User

    @property
    def principal(self) -> access.Principal:
        return access.principal_of_user(self.owner)


def operator(name: str = "olive") -> access.Principal:
    """Return an operator with the grant `operate`."""
    user = User.objects.filter(username=name).first()
    if user is None:
        user = user_create(username=name, actor="test", is_operator=True)
        grant_set(user=user, name="operate", actor="test")
    return access.principal_of_user(User.objects.get(pk=user.pk))


def tenant(slug: str, zone: str = "Asia/Shanghai") -> Tenant:
    """Return a tenant with that slug."""
    account = Account.objects.create(slug=slug, name=slug.title(), zone=zone)
    owner = user_create(username=f"{slug}-owner", actor="test")
    membership_set(user=owner, account=account, roles=["owner"], actor="test")
    return Tenant(account, User.objects.get(pk=owner.pk))


def make_pool(
    slug: str = "east", *, numbers: int = 0, up: bool = True, first: int = 13800000000, **given: Any
) -> Pool:
    """Make a pool with Chinese mobile numbers from `first` on, by default registered."""
    made = services.pool_create(actor="test", slug=slug, **given)
    if numbers:
        values = [f"+86{first + index}" for index in range(numbers)]
        services.numbers_add(actor="test", pool=made, values=values)
        if up:
            register(slug, *values)
    return made


def register(slug: str, *values: str, **options: Any) -> None:
    """Report numbers as registered."""
    for value in values:
        send(slug, "reg", value, **options)


def send(slug: str, event: str, number: str = "", **options: Any) -> commands.EventOutcome:
    """Send one event directly to the pool's script."""
    return hotpath.run(commands.event(slug, commands.Event.of(event, number, **options)))


def drain(pool: Pool) -> None:
    """Drain a pool's history into SQL."""
    history.drain("numbers.pool", Aggregate(pool.tag, pool.pk))


def token_for(pool: Pool | None = None, *, account: Account | None = None, **given: Any) -> str:
    """Return the secret of a token that may send every event to a pool, or an account's pools."""
    given.setdefault("actions", ["numbers.event", "numbers.view"])
    owner = account if account is not None else pool.account if pool is not None else None
    _, secret = token_create(
        name="switch",
        account=owner,
        resources=[f"pool:{pool.slug}"] if pool is not None else ["pool:*"],
        actor="test",
        **given,
    )
    return secret
