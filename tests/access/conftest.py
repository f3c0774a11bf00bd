"""Fixtures of the tests about people."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.db import transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from poolsite.access import lookup, services
from poolsite.access.models import User
from poolsite.access.rights.cache import CACHE
from poolsite.access.rights.hub import HUB
from poolsite.runtime.redis_server import RedisServer
from tests.access import sign_on
from tests.access.fake_sql import Sql
from tests.access.world import PASSWORD, World, make_world
from tests.support.oidc_provider import Provider, oidc_provider
from tests.support.waiting import patient

NO_STEP_UP = {"PASSWORD_FRESH_SECONDS": 86_400}  # a login lasts for a whole file


@pytest.fixture(autouse=True)
def _quiet_hub() -> Iterator[None]:
    """Stop the listener after the test."""
    yield
    HUB.stop()
    cache.close()


@pytest.fixture
def world(db: None, clean_redis: RedisServer) -> World:
    """Two tenants, and a person of each kind, created when a test uses them."""
    return make_world()


@pytest.fixture(scope="module")
def world_of_file(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """The world of a whole file, with everyone logged in. What a test adds is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic(), override_settings(**NO_STEP_UP):
        yield make_world().log_in_everybody()
        transaction.set_rollback(True)


@pytest.fixture(scope="session")
def hashed_password() -> str:
    """The hash of PASSWORD, computed once: Argon2 is slow on purpose."""
    return make_password(PASSWORD)


@pytest.fixture
def alice(db: None, clean_redis: RedisServer, hashed_password: str) -> User:
    """A user who can log in with PASSWORD."""
    return make_user("alice", hashed_password)


@pytest.fixture
def bob(db: None, clean_redis: RedisServer, hashed_password: str) -> User:
    """Another user who can log in with PASSWORD."""
    return make_user("bob", hashed_password)


def make_user(name: str, hashed_password: str) -> User:
    """Create a user with the precomputed password hash."""
    user = services.user_create(username=name, email=f"{name}@example.com", actor="test")
    user.password = hashed_password
    user.save(update_fields=["password"])
    return user


@pytest.fixture(scope="module")
def oidc() -> Iterator[Provider]:
    """A login provider for a file, over HTTP."""
    with oidc_provider() as running:
        yield running


@pytest.fixture
def provider(oidc: Provider) -> Iterator[Provider]:
    """The provider `oidc` in the settings, without a fault.

    Ann, in the group noc, is logged in there.
    """
    oidc.faults, oidc.person, oidc.asked = {}, sign_on.person("ann", "noc"), []
    with override_settings(**sign_on.options(oidc)):
        yield oidc


@pytest.fixture
def sql(
    monkeypatch: pytest.MonkeyPatch, clean_redis: RedisServer, django_db_blocker: Any
) -> Iterator[Sql]:
    """A fake SQL, a running listener and an empty cache.

    A look-up thread may still have a connection from an earlier test. Django checks it before each
    look-up, and these tests must not forbid that.
    """
    CACHE.drop("", "")
    fake = Sql()
    monkeypatch.setattr(lookup, "of_credential", fake.of_credential)
    assert HUB.wait_until_listening(patient(5))
    with django_db_blocker.unblock():
        yield fake
    fake.go_on.set()
