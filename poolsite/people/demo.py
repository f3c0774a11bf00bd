"""The demo's accounts and people, and the tokens of the programs that play its machines."""

from collections.abc import Sequence

from django.contrib.auth.hashers import make_password
from django.db import transaction

from poolsite.access import services
from poolsite.access.models import Account, ApiToken, User
from poolsite.runtime.demo_data import ACTOR, DemoData

ACCOUNTS = {
    "evergreen": ("Evergreen Retail", "Asia/Shanghai", "CNY"),
    "northbank": ("North Bank", "Asia/Shanghai", "CNY"),
    "careline": ("Careline", "Asia/Shanghai", "CNY"),
}
# user name, full name, account and role (none for operators), texts that the supervisor prints
PEOPLE = (
    ("lin.mei", "Lin Mei", "", "", "operator", "/overview/"),
    ("gao.ning", "Gao Ning", "", "", "second operator, who approves", "/billing/accounts/"),
    ("wang.fang", "Wang Fang", "evergreen", "owner", "customer", "/accounts/evergreen/"),
    ("zhou.ting", "Zhou Ting", "evergreen", "payer", "customer who pays", "/accounts/evergreen/"),
    (
        "liu.yang",
        "Liu Yang",
        "evergreen",
        "sender",
        "customer who sends",
        "/accounts/evergreen/campaigns/",
    ),
    ("zhao.min", "Zhao Min", "northbank", "owner", "customer of another tenant", "/pools/"),
    ("li.jun", "Li Jun", "evergreen", "agent", "agent", "/agent/"),
)


def make_people(data: DemoData) -> None:
    """Create accounts, users, memberships and grants; existing ones stay as they are."""
    password = _Password(data.password)
    with transaction.atomic():
        for slug, (name, zone, currency) in ACCOUNTS.items():
            account = Account.objects.filter(slug=slug).first() or services.account_create(
                slug=slug, name=name, zone=zone, currency=currency, actor=ACTOR
            )
            data.accounts[slug] = account
        for username, full_name, slug, role, title, page in PEOPLE:
            _make_person(data, password, username, full_name, slug, role)
            data.logins.append({"role": title, "user": username, "page": page})


class _Password:
    """The one password of all demo users, hashed and compared once: both are slow on purpose."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._hash = ""
        self._fits: dict[str, bool] = {}

    def give(self, user: User) -> None:
        """Set the password of a new user."""
        self._hash = self._hash or make_password(self.text)
        user.password = self._hash
        user.save(update_fields=["password"])

    def fits(self, user: User) -> bool:
        """Whether the user has this password."""
        if user.password not in self._fits:
            self._fits[user.password] = user.check_password(self.text)
        return self._fits[user.password]


def _make_person(
    data: DemoData, password: _Password, username: str, full_name: str, slug: str, role: str
) -> None:
    user = User.objects.filter(username=username).first()
    if user is None:
        user = services.user_create(
            username=username,
            actor=ACTOR,
            email=f"{username}@example.org",
            is_operator=not slug,
            full_name=full_name,
        )
        if data.password:
            password.give(user)
    elif data.password and not password.fits(user):
        services.password_set(user=user, password=data.password, actor=ACTOR)  # the secret changed
    if slug:
        services.membership_set(user=user, account=data.accounts[slug], roles={role}, actor=ACTOR)
        return
    for grant in ("operate", "finance"):
        services.grant_set(user=user, name=grant, actor=ACTOR)


def token_anew(
    name: str, account: Account | None, *, resources: Sequence[str], actions: Sequence[str]
) -> str:
    """Create the only live token of this name; return its secret.

    Tokens of an earlier start are revoked: a caller that needs a new one has lost the old secret.
    """
    for lost in ApiToken.objects.filter(name=name, revoked_at=None):
        services.token_revoke(token=lost, actor=ACTOR, reason="its secret was lost")
    _, secret = services.token_create(
        name=name, account=account, resources=resources, actions=actions, actor=ACTOR
    )
    return secret
