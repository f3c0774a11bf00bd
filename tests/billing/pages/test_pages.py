"""The pages of money: what they answer, to which users, and what they refuse."""

from typing import Any

import pytest
from django.test import Client

from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import Customer, browser, customer, lived, operator

pytestmark = pytest.mark.django_db(transaction=True)

CUSTOMERS = (
    "/accounts/evergreen/",
    "/accounts/evergreen/pace/",
    "/accounts/evergreen/usage/",
    "/accounts/evergreen/usage/data/?range=12m",
    "/accounts/evergreen/entries/",
    "/accounts/evergreen/entries/?q=m-&kind=hold&from=2026-01-01&until=2030-01-01",
    "/accounts/evergreen/entries/?format=csv",
    "/accounts/evergreen/explain/spendable/",
    "/accounts/evergreen/explain/held/",
    "/accounts/evergreen/explain/receivable/",
    "/accounts/evergreen/explain/revenue/?kind=settle&mode=native_text",
    "/accounts/evergreen/messages/",
    "/accounts/evergreen/messages/?q=m-&state=settled&mode=native_text&chatbot=shop",
    "/accounts/evergreen/message/?id=m-text",
    "/accounts/evergreen/message/?id=m-late",
    "/accounts/evergreen/message/?id=m-fresh",
    "/billing/rules/",
)
OPERATORS = (
    "/billing/accounts/",
    "/billing/accounts/?format=csv",
    "/billing/accounts/?q=ev&show=open&sort=-spendable",
    "/billing/accounts/evergreen/",
    "/billing/holds/",
    "/billing/holds/?account=evergreen",
    "/billing/flagged/",
    "/billing/flagged/?show=all&flag=contradiction&q=m-",
    "/billing/terminals/",
    "/billing/terminals/?number=13800138000",
    "/billing/terminals/?number=nonsense",
    "/billing/books/",
    "/billing/audit/",
)


@pytest.fixture
def evergreen(clean_redis: RedisServer) -> Customer:
    """A wallet with data for every page."""
    return lived()


def body_of(answer: Any) -> str:
    """Return a page's text, streamed or not."""
    if getattr(answer, "streaming", False):
        return b"".join(answer.streaming_content).decode()
    return str(answer.content.decode())


@pytest.mark.parametrize("role", ["owner", "payer", "sender", "admin"])
def test_every_page_of_an_account_opens_for_its_people(evergreen: Customer, role: str) -> None:
    client = browser(evergreen.people[role])
    answers = {path: client.get(path).status_code for path in CUSTOMERS}
    assert answers == dict.fromkeys(CUSTOMERS, 200)
    assert {client.get(path).status_code for path in OPERATORS} == {403}


def test_every_page_opens_for_an_operator(evergreen: Customer) -> None:
    client = browser(operator())
    paths = (*CUSTOMERS, *OPERATORS)
    assert {path: client.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)


def test_another_tenants_money_looks_like_nothing(evergreen: Customer) -> None:
    stranger = browser(customer("northbank").people["owner"])
    for path in CUSTOMERS[:-1]:
        assert stranger.get(path).status_code == 404, path
    assert stranger.get("/accounts/nobody/").status_code == 404
    agent = browser(evergreen.people["agent"])
    assert agent.get("/accounts/evergreen/").status_code == 403
    assert Client().get("/accounts/evergreen/").status_code == 302
