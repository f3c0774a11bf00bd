"""An object named like one of our URLs would be hidden by it: "/pools/new/" creates a pool."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from numbers.services import pool_create
from queueing.admission.services import gate_create
from queueing.dispatch.services import group_create
from queueing.line.services.desks import desk_create, queue_create

MAKERS: dict[str, Callable[..., Any]] = {
    "pool": pool_create,
    "gate": gate_create,
    "group": group_create,
    "desk": desk_create,
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("thing", sorted(MAKERS))
def test_nothing_can_be_named_like_an_address(thing: str, clean_redis: object) -> None:
    with pytest.raises(ValidationError, match="reserved"):
        MAKERS[thing](actor="test", slug="new", name="New")


@pytest.mark.django_db(transaction=True)
def test_nor_can_a_queue_of_a_desk(clean_redis: object) -> None:
    desk = desk_create(actor="test", slug="support", name="Support")
    with pytest.raises(ValidationError, match="reserved"):
        queue_create(actor="test", desk=desk, slug="new", name="New")
