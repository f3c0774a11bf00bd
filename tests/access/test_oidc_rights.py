"""Each login updates the rights from the provider's groups. Rights given by hand stay."""

import json
from typing import Any

import pytest
from django.core import mail
from django.test import Client, override_settings

from poolsite.access import four_eyes, principal_of_user, services
from poolsite.access.models import AccessLink, AuditEntry, Grant, Membership, User
from poolsite.access.oidc import mapping
from tests.access.mailed import open_link
from tests.access.sign_on import logged_in, person, refused, there_and_back
from tests.access.test_invitations import invite, link_in_mail
from tests.access.test_log_in import log_in
from tests.access.world import World
from tests.support.oidc_provider import Provider


def comes(provider: Provider, *groups: str, name: str = "ann") -> User:
    """Log the person in with these groups. Return the user after that."""
    provider.person = person(name, *groups)
    there_and_back(Client())
    return User.objects.get(username=name)


def held(user: User) -> set[tuple[str, ...]]:
    """Return every right in SQL: grants with their object, roles with their account."""
    grants = Grant.objects.filter(user=user).values_list("name", "thing")
    roles = Membership.objects.filter(user=user).values_list("account__slug", "role")
    return {*grants, *roles}


def test_groups_give_and_take_at_each_log_in(world: World, provider: Provider) -> None:
    ann = comes(provider, "noc", "desk", "acme-admins", "unknown")
    assert held(ann) == {("operate", ""), ("supervise", "desk:support"), ("own", "admin")}
    assert ann.is_operator
    ann = comes(provider, "acme-admins")
    assert held(ann) == {("own", "admin")}
    assert not ann.is_operator
    assert not principal_of_user(ann).is_operator
    ann = comes(provider, "watch", "acme-admins")
    assert ann.is_operator
    assert principal_of_user(ann).grants == frozenset()
    assert comes(provider, "acme-admins").is_operator is False
    taken = AuditEntry.objects.filter(action="access.grant_take", thing_id=str(ann.pk))
    assert {each.actor_name for each in taken} == {"single sign-on"}


def test_who_has_lost_every_group_loses_the_rights_and_stays_out(
    world: World, provider: Provider
) -> None:
    ann = comes(provider, "noc", "acme-admins")
    provider.person = person("ann")
    client = Client()
    refused(there_and_back(client), 403, "You have no access yet")
    assert not logged_in(client)
    assert held(ann) == set()


def test_what_was_given_by_hand_stays(world: World, provider: Provider) -> None:
    ann = comes(provider, "acme-admins")
    services.membership_set(user=ann, account=world.own, roles=["admin", "payer"], actor="test")
    services.membership_set(user=ann, account=world.other, roles=["agent"], actor="test")
    services.grant_set(user=ann, name="operate", actor="test")
    ann = comes(provider, "noc")  # the group gives what a person gave before
    assert held(ann) == {("own", "payer"), ("other", "agent"), ("operate", "")}
    ann = comes(provider)
    assert held(ann) == {("own", "payer"), ("other", "agent"), ("operate", "")}
    assert ann.is_operator  # because of the grant given by hand


def test_a_right_that_was_taken_and_given_by_hand_is_no_longer_the_group_s(
    world: World, provider: Provider
) -> None:
    ann = comes(provider, "acme-admins")
    services.membership_set(user=ann, account=world.own, roles=[], actor="test")
    services.membership_set(user=ann, account=world.own, roles=["admin"], actor="test")
    assert held(comes(provider)) == {("own", "admin")}


def test_a_log_in_without_the_provider_ends_what_its_groups_gave(
    world: World, provider: Provider, hashed_password: str
) -> None:
    """A person who left the company but has a password keeps only rights that people gave."""
    ann = comes(provider, "noc", "acme-admins")
    services.membership_set(user=ann, account=world.other, roles=["agent"], actor="test")
    ann.password = hashed_password
    ann.save()
    client = Client()
    log_in(client, "ann")
    assert logged_in(client)
    ann.refresh_from_db()
    assert (held(ann), ann.is_operator) == ({("other", "agent")}, False)
    assert comes(provider, "noc").is_operator


def test_a_user_made_by_hand_keeps_what_makes_an_operator(world: World, provider: Provider) -> None:
    ann = comes(provider, "acme-admins")
    ann.is_operator = True
    ann.save()
    assert comes(provider, "acme-admins").is_operator


def test_groups_write_no_access_link_and_give_no_finance(world: World, provider: Provider) -> None:
    """Two people of a group are independent, and the group lets neither approve money."""
    ann, bea = comes(provider, "noc"), comes(provider, "noc", name="bea")
    assert not AccessLink.objects.exists()
    assert four_eyes.dependence(ann, bea) is None
    assert not four_eyes.may_finance(ann)
    for right in ("finance", {"grant": "finance", "object": "pool:east"}):
        with pytest.raises(mapping.MappingError, match="approval of a second operator"):
            mapping.read(json.dumps({"noc": right}))


def test_whoever_a_group_made_an_operator_links_those_that_he_or_she_invites(
    world: World, provider: Provider
) -> None:
    ann = comes(provider, "noc")
    bob = services.user_create(username="bob", actor="test")
    services.grant_set(user=bob, name="operate", actor=ann)
    assert four_eyes.dependence(ann, bob) is not None


@pytest.mark.parametrize("only", [False, True])
def test_an_invited_person_joins_by_the_provider(
    world: World, provider: Provider, only: bool
) -> None:
    """The mailed secret is in the session. The provider need not name a group."""
    invite(world)
    client = Client()
    open_link(client, f"http://testserver{link_in_mail()}")
    with override_settings(OIDC_ONLY=only):
        page = client.get("/join/accept/").content.decode()
        assert ("new_password" in page) is not only
        assert "/login/sign-on/" in page
        provider.person = person("nina")
        there_and_back(client)
        assert logged_in(client)
    nina = User.objects.get(username="nina")
    assert (held(nina), nina.email) == ({("own", "agent")}, "nina@acme.example")
    links = AccessLink.objects.filter(receiver=nina).values_list("giver__username", "how")
    assert set(links) == {("owner", "invited"), ("owner", "role")}
    again = Client()
    provider.person = person("otto")
    refused(there_and_back(again), 403, "You have no access yet")
    assert len(mail.outbox) == 1


def test_an_invitation_of_somebody_who_has_a_user_is_not_taken_by_another(
    world: World, provider: Provider
) -> None:
    invite(world, email="foreign@example.com")
    world.users["foreign"]
    client = Client()
    open_link(client, f"http://testserver{link_in_mail()}")
    provider.person = person("mallory")
    refused(there_and_back(client), 403, "You already have a user here")


@pytest.mark.parametrize(
    ("claim", "value", "gets"),
    [
        ("groups", ["noc"], True),
        ("groups", "noc", True),
        ("groups", {"noc": True}, False),
        ("groups", [["noc"], 7], False),
        ("roles", ["noc"], False),
    ],
)
def test_groups_are_read_from_the_configured_claim_alone(
    world: World, provider: Provider, claim: str, value: Any, gets: bool
) -> None:
    provider.person = {**person("ann"), claim: value}
    client = Client()
    there_and_back(client)
    assert logged_in(client) is gets


def test_groups_may_come_from_the_userinfo_endpoint(world: World, provider: Provider) -> None:
    del provider.person["groups"]
    provider.faults = {"userinfo": {"groups": ["noc"], "email": "other@acme.example"}}
    client = Client()
    there_and_back(client)
    assert logged_in(client)
    assert User.objects.get(username="ann").email == "ann@acme.example"  # the signed one


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "it is not JSON"),
        ("[]", "it must be an object"),
        ('{"noc": "admin"}', "'admin' is not one of operator, operate, supervise"),
        ('{"noc": {"account": "acme", "role": "boss"}}', "'boss' is not one of admin, payer"),
        ('{"noc": {"account": "acme", "role": "owner"}}', "an account must keep an owner"),
        ('{"noc": {"account": "", "role": "admin"}}', "is not a right"),
        ('{"noc": {"grant": "operator", "object": "desk:support"}}', "'operator' is not one of"),
        ('{"noc": {"grant": "supervise", "object": "support"}}', "is not a right"),
        ('{"noc": 7}', "7 is not a right"),
    ],
)
def test_a_mapping_that_gives_no_known_right_is_refused(text: str, why: str) -> None:
    with pytest.raises(mapping.MappingError, match=why):
        mapping.read(text)
