"""An account as its people and operators see it over the API behind Django."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from poolsite.access.models import User
from poolsite.access.services import membership_set, token_create, user_create
from tests.billing.api.shop import Shop, make_shop
from tests.billing.recharge.money_people import operator


@dataclass
class Office:
    """The account `acme` and its callers: a role, an operator, the owner of another account."""

    shop: Shop
    foreign: Shop
    people: dict[str, User] = field(default_factory=dict)

    def ask(self, method: str, part: str, body: Any = None, who: str = "owner") -> Any:
        """Return the answer to a request below the account's own address."""
        url = f"{self.shop.url}/{part}" if part else self.shop.url
        return self.at(method, url, body, who)

    def at(self, method: str, url: str, body: Any = None, who: str = "owner") -> Any:
        """Return the answer to a request."""
        client = Client()
        headers = {}
        if who == "token":
            _, secret = token_create(
                name="t", account=self.shop.account, resources=["*"], actor="test"
            )
            headers["authorization"] = f"Bearer {secret}"
        elif who != "nobody":
            client.force_login(self.people[who])
        call: Callable[..., Any] = getattr(client, method)
        if method == "get":
            return call(url, body or {}, headers=headers)
        return call(url, body or {}, content_type="application/json", headers=headers)


def make_office() -> Office:
    """Make two accounts, the people of the first, and two operators with the grant `finance`."""
    office = Office(make_shop(), make_shop("other"))
    for role in ("owner", "sender", "payer"):
        user = office.people[role] = user_create(username=role, actor="test")
        membership_set(user=user, account=office.shop.account, roles=[role], actor="test")
    stranger = office.people["stranger"] = user_create(username="stranger", actor="test")
    membership_set(user=stranger, account=office.foreign.account, roles=["owner"], actor="test")
    for name in ("olga", "omar"):
        office.people[name] = operator(name, "finance")
    office.people["looker"] = operator("looker")
    return office
