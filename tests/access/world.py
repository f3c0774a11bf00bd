"""Two tenants and one person of each kind, for tests about who may do what."""

from dataclasses import dataclass, field

from django.conf import settings
from django.test import Client

from poolsite.access import services
from poolsite.access.models import Account, Role, User
from poolsite.access.views.log_in import BACKEND

PASSWORD = "correct horse battery"
ROLES = tuple(Role.values)
GRANTS = ("operate", "finance", "supervise")
# Who walks every URL. `foreign` owns another account; `looker` is an operator without a grant.
READERS = ("nobody", *ROLES, "roleless", "foreign", "looker", *GRANTS)


@dataclass
class World:
    """`own` and `other` are accounts; `users` one of each reader but nobody."""

    own: Account
    other: Account
    users: dict[str, User] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)

    def client(self, reader: str) -> Client:
        """A browser in which this reader is logged in."""
        client = Client()
        if reader in self.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[reader]
        elif reader != "nobody":
            client.force_login(self.users[reader], backend=BACKEND)
        return client

    def log_in_everybody(self) -> "World":
        """Give each reader one session for all the browsers to come."""
        for reader in self.users:
            cookies = self.client(reader).cookies
            self.sessions[reader] = cookies[settings.SESSION_COOKIE_NAME].value
        return self


def make_world() -> World:
    """Write the two tenants and their people through the services."""
    world = World(
        own=services.account_create(slug="own", name="Own", actor="test"),
        other=services.account_create(slug="other", name="Other", actor="test"),
    )
    for reader in READERS[1:]:
        operator = reader in ("looker", *GRANTS)
        user = services.user_create(
            username=reader, email=f"{reader}@example.com", is_operator=operator, actor="test"
        )
        world.users[reader] = user
        if reader in ROLES:
            services.membership_set(user=user, account=world.own, roles=[reader], actor="test")
        elif reader == "foreign":
            services.membership_set(user=user, account=world.other, roles=["owner"], actor="test")
        elif reader in GRANTS:
            services.grant_set(user=user, name=reader, actor="test")
    return world
