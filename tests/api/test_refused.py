"""The operations behind Django refuse requests as the hot lane does: with problems."""

from typing import Any

import pytest
from django.test import Client

from poolsite.access.models import Account

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_redis")]
ACCOUNTS = "/api/v1/people/accounts"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"slug": "one", "slug": "two", "name": "x"}', "a key stands twice in one object"),
        (b'{"slug": "one", "name": NaN}', "not JSON: NaN is not JSON"),
        (b'{"slug": "one"', "not JSON: "),
        (b'{"slug": "one", "name": "\xff"}', "not JSON: "),
    ],
)
def test_a_body_that_is_not_one_clear_object_is_malformed(
    olga: Any, client: Client, body: bytes, detail: str
) -> None:
    client.force_login(olga)
    answer = client.post(ACCOUNTS, body, content_type="application/json")
    assert (answer.status_code, answer.json()["type"]) == (422, "malformed")
    assert answer.json()["detail"].startswith(detail)
    assert not Account.objects.filter(slug__in=("one", "two")).exists()


def test_a_method_that_a_path_does_not_have_is_a_problem(client: Client) -> None:
    answer = client.delete(ACCOUNTS)
    assert (answer.status_code, answer.json()["type"]) == (405, "method")
    assert answer["Content-Type"] == "application/problem+json"
    assert set(answer["Allow"].split(", ")) == {"GET", "POST"}
