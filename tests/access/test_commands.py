"""People and tokens on the command line."""

import re
from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.test import RequestFactory

from poolsite import access
from poolsite.access import lookup, services
from poolsite.access.models import ApiToken, AuditEntry, User
from poolsite.runtime.redis_server import RedisServer
from tests.access.world import World


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_the_first_operator_gets_a_password_that_is_printed_once(
    db: None, clean_redis: RedisServer
) -> None:
    said = run("user", "create", "olga", "--operator", "--grant", "operate", "--grant", "finance")
    password = said.split()[-1]
    user = authenticate(RequestFactory().post("/login/"), username="olga", password=password)
    assert isinstance(user, User)
    principal = access.principal_of_user(user)
    assert principal.is_operator
    assert principal.grants == {"operate", "finance"}
    assert password not in str(list(AuditEntry.objects.values()))
    assert AuditEntry.objects.filter(actor_name="manage.py user").count() == 3


def test_roles_and_new_passwords_are_given(world: World) -> None:
    name = world.users["roleless"].username
    run("user", "grant", name, "--account", "own", "--role", "agent", "--role", "sender")
    principal = access.principal_of_user(world.users["roleless"])
    assert principal.roles_in(world.own.pk) == {"agent", "sender"}
    password = run("user", "password", "roleless").split()[-1]
    world.users["roleless"].refresh_from_db()
    assert world.users["roleless"].check_password(password)
    client = world.client("roleless")
    run("user", "logout", "roleless")
    assert client.get("/profile/").status_code == 302


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("user", "create", "owner"), "already exists"),
        (("user", "create", "a@b"), "can't contain @"),
        (("user", "create", "new", "--role", "agent"), "needs --account"),
        (
            ("user", "create", "new", "--account", "none", "--role", "agent"),
            "Account none not found",
        ),
        (("user", "create", "new", "--grant", "rule"), "invalid choice"),
        (("user", "password", "nobody"), "User nobody not found"),
        (("token", "create", "t", "--may-reach", "pool"), "type:slug"),
        (("token", "create", "t", "--may-reach", "*", "--days", "0"), "from 1 to 730"),
        (
            ("token", "create", "t", "--may-reach", "*", "--account", "none"),
            "Account none not found",
        ),
        (
            ("token", "create", "t", "--may-reach", "*", "--action", "x"),
            "Tokens can't have the permission “x”",
        ),
        (("token", "revoke", "ps_nothing"), "0 valid tokens"),
    ],
)
def test_a_mistake_is_one_sentence_and_changes_nothing(
    world: World, words: tuple[str, ...], said: str
) -> None:
    world.with_everybody()
    before = (User.objects.count(), ApiToken.objects.count(), AuditEntry.objects.count())
    with pytest.raises(CommandError, match=re.escape(said)):
        run(*words)
    after = (User.objects.count(), ApiToken.objects.count(), AuditEntry.objects.count())
    assert after == before


def test_a_token_is_printed_listed_and_revoked(world: World) -> None:
    secret = run("token", "create", "switch", "--may-reach", "pool:*", "--event", "call").strip()
    credential = lookup.credential_of_bearer(secret)
    assert lookup.of_credential(credential).may_send("call")
    assert not lookup.of_credential(credential).may_send("del")
    listed = run("token", "list")
    assert "switch" in listed
    assert secret not in listed
    run("token", "revoke", secret[:11])
    assert lookup.of_credential(credential) is access.ANONYMOUS
    assert run("token", "list") == ""


def test_two_tokens_that_begin_alike_are_not_revoked_by_guess(world: World) -> None:
    for name in ("a", "b"):
        token, _ = services.token_create(name=name, account=None, resources=["*"], actor="t")
        ApiToken.objects.filter(pk=token.pk).update(prefix="ps_same")
    with pytest.raises(CommandError, match="2 valid tokens"):
        run("token", "revoke", "ps_same")
