"""Two tenants and a person of each kind, for tests about permissions."""

from dataclasses import dataclass, field

from django.conf import settings
from django.test import Client

from poolsite.access import services
from poolsite.access.models import Account, Role, User

PASSWORD = "correct horse battery"
ROLES = tuple(Role.values)
GRANTS = ("operate", "finance", "supervise")
# The readers of every URL. `foreign` owns another account; `looker` is an operator without a grant.
READERS = ("nobody", *ROLES, "roleless", "foreign", "looker", *GRANTS)


class People(dict[str, User]):
    """A user for each reader except `nobody`, created by the services on first use."""

    def __init__(self, own: Account, other: Account) -> None:
        super().__init__()
        self._own, self._other = own, other

    def __missing__(self, reader: str) -> User:
        if reader not in READERS[1:]:
            raise KeyError(reader)
        operator = reader in ("looker", *GRANTS)
        user = self[reader] = services.user_create(
            username=reader, email=f"{reader}@example.com", is_operator=operator, actor="test"
        )
        if reader in ROLES:
            services.membership_set(user=user, account=self._own, roles=[reader], actor="test")
        elif reader == "foreign":
            services.membership_set(user=user, account=self._other, roles=["owner"], actor="test")
        elif reader in GRANTS:
            services.grant_set(user=user, name=reader, actor="test")
        return user


@dataclass
class World:
    """The two accounts `own` and `other`, and their people."""

    own: Account
    other: Account
    users: People
    sessions: dict[str, str] = field(default_factory=dict)

    def client(self, reader: str) -> Client:
        """Return a browser in which this reader is logged in."""
        client = Client()
        if reader in self.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[reader]
        elif reader != "nobody":
            client.force_login(self.users[reader])
        return client

    def with_everybody(self) -> "World":
        """Create all people now, for a test that checks what was written since."""
        for reader in READERS[1:]:
            self.users[reader]
        return self

    def log_in_everybody(self) -> "World":
        """Give each reader one session for all later browsers."""
        for reader in READERS[1:]:
            cookies = self.client(reader).cookies
            self.sessions[reader] = cookies[settings.SESSION_COOKIE_NAME].value
        return self


def make_world() -> World:
    """Create the two tenants. Their people are created on first use."""
    own = services.account_create(slug="own", name="Own", actor="test")
    other = services.account_create(slug="other", name="Other", actor="test")
    return World(own, other, People(own, other))
