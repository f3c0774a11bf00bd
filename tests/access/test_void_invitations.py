"""An invitation is void if its inviter may no longer give what it gives."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from poolsite.access import services
from poolsite.access.models import Account, User
from poolsite.access.services.invitations import invitation_of
from tests.access.links import operator


@pytest.fixture
def account(db: None) -> Account:
    return services.account_create(slug="own", name="Own", actor="test")


def member(account: Account, name: str, role: str) -> User:
    user = services.user_create(username=name, email=f"{name}@example.com", actor="test")
    services.membership_set(user=user, account=account, roles=[role], actor="test")
    return user


def join(secret: str, name: str = "newcomer") -> User:
    return services.invitation_accept(
        secret=secret, username=name, password="a password of its own", user=None
    )


def refused(secret: str) -> None:
    """Assert that neither the link's page nor joining itself lets anyone in."""
    assert invitation_of(secret) is None
    with pytest.raises(ValidationError, match="no longer valid"):
        join(secret)
    assert not User.objects.filter(username="newcomer").exists()


LOSSES: dict[str, Callable[[User, Account], object]] = {
    "deactivated": lambda user, _own: services.user_deactivate(
        user=user, actor="test", reason="fired"
    ),
    "role taken": lambda user, own: services.membership_set(
        user=user, account=own, roles=["agent"], actor="test"
    ),
    "behind the services": lambda user, _own: User.objects.filter(pk=user.pk).update(
        is_active=False
    ),
}


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_a_fired_owner_leaves_no_back_door_in_the_account(
    account: Account, clean_redis: Any, loss: str
) -> None:
    member(account, "heir", "owner")
    owner = member(account, "owner", "owner")
    _, secret = services.invitation_create(
        email="x@example.com", account=account, role="owner", actor=owner
    )
    LOSSES[loss](owner, account)
    refused(secret)


def test_an_administrator_who_was_an_owner_lets_agents_in_and_no_owner(
    account: Account, clean_redis: Any
) -> None:
    member(account, "heir", "owner")
    owner = member(account, "owner", "owner")
    secrets = {
        role: services.invitation_create(
            email=f"{role}@example.com", account=account, role=role, actor=owner
        )[1]
        for role in ("owner", "agent")
    }
    services.membership_set(user=owner, account=account, roles=["admin"], actor="test")
    refused(secrets["owner"])
    assert join(secrets["agent"]).memberships.get().role == "agent"


@pytest.mark.parametrize("lost", ["operate", "supervise"])
def test_an_operator_who_lost_a_grant_leaves_no_back_door(
    db: None, clean_redis: Any, lost: str
) -> None:
    fired = operator("fired", "operate", "supervise")
    _, secret = services.invitation_create(email="x@example.com", grants=["supervise"], actor=fired)
    services.grant_set(user=fired, name=lost, granted=False, actor="test")
    refused(secret)


def test_a_link_that_was_void_stays_void_when_its_inviter_comes_back(
    db: None, clean_redis: Any
) -> None:
    fired = operator("fired", "operate")
    invitation, secret = services.invitation_create(email="x@example.com", actor=fired)
    services.user_deactivate(user=fired, actor="test", reason="fired")
    services.user_activate(user=fired, actor="test")
    refused(secret)
    invitation.refresh_from_db()
    assert invitation.withdrawn_at is not None


def test_nobody_regains_a_lost_grant_by_an_invitation_to_the_own_address(
    db: None, clean_redis: Any
) -> None:
    fired = operator("fired", "operate", "supervise")
    _, secret = services.invitation_create(email=fired.email, grants=["supervise"], actor=fired)
    with pytest.raises(ValidationError, match="your own invitation"):
        services.invitation_accept(secret=secret, user=fired)
    services.grant_set(user=fired, name="supervise", granted=False, actor="test")
    with pytest.raises(ValidationError, match="no longer valid"):
        services.invitation_accept(secret=secret, user=fired)
    assert not fired.grants.filter(name="supervise").exists()


def test_what_still_may_be_given_is_not_withdrawn(db: None, clean_redis: Any) -> None:
    giver = operator("giver", "operate", "supervise")
    _, secret = services.invitation_create(email="x@example.com", grants=["operate"], actor=giver)
    services.grant_set(user=giver, name="supervise", granted=False, actor="test")
    assert join(secret).grants.get().name == "operate"
