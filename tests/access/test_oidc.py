"""Login through a provider, over HTTP with the tests' own one: who gets in, and who doesn't."""

from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.sessions.models import Session
from django.test import Client, override_settings

from poolsite.access import services
from poolsite.access.models import AuditEntry, User
from tests.access.sign_on import logged_in, person, refused, there_and_back
from tests.support.oidc_provider import Provider, new_key

pytestmark = pytest.mark.usefixtures("world")
START, CALLBACK = "/login/sign-on/", "/login/sign-on/callback/"


def nobody_came(client: Client) -> None:
    assert not logged_in(client)
    assert not SocialAccount.objects.exists()


def test_a_member_of_a_mapped_group_gets_a_user_and_is_led_on(provider: Provider) -> None:
    client = Client()
    client.get("/login/")
    planted = client.session.session_key
    answer = there_and_back(client, f"{START}?next=/security/")
    assert (answer.status_code, answer["Location"]) == (302, "/security/")
    assert logged_in(client)
    assert not Session.objects.filter(session_key=planted).exists()
    ann = User.objects.get(username="ann")
    assert (ann.email, ann.get_full_name()) == ("ann@acme.example", "Ann Doe")
    assert ann.is_operator
    assert not ann.has_usable_password()
    linked = SocialAccount.objects.get(user=ann)
    assert (linked.provider, linked.uid) == (provider.issuer, "sub-of-ann")
    assert "sub-of" not in str(linked.extra_data)
    told = AuditEntry.objects.filter(thing_kind="user", thing_id=str(ann.pk)).order_by("pk")
    assert [each.action for each in told] == [
        "access.user_create",
        "access.sign_on_link",
        "access.grant_give",
        "access.operator_set",
        "access.sign_on",
    ]
    assert {each.actor_name for each in told[:4]} == {"single sign-on"}


def test_it_asks_with_pkce_state_and_nonce_and_keeps_no_token(provider: Provider) -> None:
    client = Client()
    there_and_back(client)
    [asked] = provider.asked
    assert asked["response_type"] == "code"
    assert asked["redirect_uri"] == f"http://testserver{CALLBACK}"
    assert set(asked["scope"].split()) == {"openid", "profile", "email"}
    assert len(asked["code_challenge"]) == 43
    assert min(len(asked["state"]), len(asked["nonce"])) >= 16
    assert "for userinfo" not in str(dict(client.session.items()))
    assert not SocialToken.objects.exists()


def test_the_same_person_comes_back_as_the_same_user_under_another_name(provider: Provider) -> None:
    there_and_back(Client())
    provider.person = person("ann", "noc", preferred_username="anna", email="anna@acme.example")
    client = Client()
    there_and_back(client)
    assert logged_in(client)
    assert SocialAccount.objects.count() == 1
    assert User.objects.filter(username__startswith="ann").count() == 1


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example", "javascript:1"])
def test_it_leads_to_no_other_site(provider: Provider, wanted: str) -> None:
    answer = there_and_back(Client(), f"{START}?next={wanted}")
    assert answer["Location"] == "/"


BAD_TOKENS: dict[str, dict[str, Any]] = {
    "of another log-in": {"claims": {"nonce": "another"}},
    "without a nonce": {"claims": {"nonce": None}},
    "for another client": {"claims": {"aud": "another client"}},
    "for several clients": {"claims": {"aud": ["poolsite", "another"]}},
    "made for another party": {"claims": {"azp": "another"}},
    "of another issuer": {"claims": {"iss": "https://evil.example"}},
    "expired": {"claims": {"exp": 1_700_000_000}},
    "of the future": {"claims": {"iat": 4_000_000_000}},
    "without a subject": {"claims": {"sub": None}},
    "with an empty subject": {"claims": {"sub": ""}},
    "with an unprintable subject": {"claims": {"sub": "ann\x00"}},
    "signed by another key": {"key": new_key()},
    "not signed": {"key": "", "algorithm": "none"},
    "signed with the secret": {
        "key": "the secret of the client which is long enough",
        "algorithm": "HS256",
    },
    "with keys that can't be read": {"down": ["/keys"]},
    "with a stranger's groups": {
        "claims": {"groups": None},
        "userinfo": {"sub": "somebody else", "groups": ["noc"]},
    },
}


@pytest.mark.parametrize("faults", BAD_TOKENS.values(), ids=BAD_TOKENS)
@pytest.mark.filterwarnings("ignore::jwt.InsecureKeyLengthWarning")
def test_a_token_that_is_not_for_us_now_by_the_provider_lets_nobody_in(
    provider: Provider, faults: dict[str, Any]
) -> None:
    provider.faults = faults
    client = Client()
    refused(there_and_back(client), 502, "The login with Acme ID didn")
    nobody_came(client)


def test_a_state_of_another_browser_or_used_twice_lets_nobody_in(provider: Provider) -> None:
    client, thief = Client(), Client()
    refused(there_and_back(client, state="another"), 400, "This login has expired")
    nobody_came(client)
    refused(thief.get(f"{CALLBACK}?code=1&state=1"), 400, "This login has expired")
    provider.faults = {"error": "access_denied"}
    refused(there_and_back(client), 403, "You weren")
    provider.faults = {"error": "server_error"}
    refused(there_and_back(client), 502, "Go to login")
    nobody_came(client)


def test_a_code_that_the_provider_does_not_know_lets_nobody_in(provider: Provider) -> None:
    client = Client()
    refused(there_and_back(client, code="made up"), 502, "The login with Acme ID didn")
    with override_settings(OIDC_CLIENT_SECRET="wrong"):
        refused(there_and_back(client), 502, "The login with Acme ID didn")
    nobody_came(client)


def test_a_provider_that_is_down_or_another_is_told_and_passwords_work(
    provider: Provider, alice: User
) -> None:
    from tests.access.test_log_in import log_in

    provider.faults = {"document": {"issuer": "https://evil.example"}}
    refused(Client().get(START), 502, "The login with Acme ID didn")
    provider.faults = {"document": {"token_endpoint": "ftp://evil.example/token"}}
    refused(Client().get(START), 502, "The login with Acme ID didn")
    provider.faults = {"down": ["/.well-known/openid-configuration"]}
    refused(Client().get(START), 502, "Nothing has been changed")
    client = Client()
    assert "Continue with Acme ID" in client.get("/login/").content.decode()
    log_in(client, "alice")
    assert logged_in(client)


def test_who_is_in_no_mapped_group_is_told_and_nothing_is_made(provider: Provider) -> None:
    for groups in ((), ("others",), ("lost",)):
        provider.person = person("ann", *groups)
        client = Client()
        refused(there_and_back(client), 403, "You have no access yet")
        nobody_came(client)
    assert not User.objects.filter(username="ann").exists()
    told = AuditEntry.objects.filter(action="access.sign_on_refuse").first()
    assert (told.thing_label, told.after) == ("ann@acme.example", {"why": "no_access"})


@pytest.mark.parametrize("is_verified", [True, False, "true"])
def test_nobody_gets_another_s_user_by_an_address(
    provider: Provider, alice: User, is_verified: Any
) -> None:
    provider.person = person("mallory", "noc", email="ALICE@example.com")
    provider.person["email_verified"] = is_verified
    client = Client()
    refused(there_and_back(client), 403, "You already have a user here")
    nobody_came(client)
    assert not User.objects.get(pk=alice.pk).is_operator


def test_an_address_that_is_not_proved_is_not_taken_over_for_mails(provider: Provider) -> None:
    provider.person = person("ann", "noc", email_verified=False)
    there_and_back(Client())
    assert User.objects.get(username="ann").email == ""


def test_claims_that_fit_no_field_are_left_out(provider: Provider) -> None:
    provider.person = {
        **person("ann", "noc", email="ann@"),
        "name": "A\x00nn\n" * 200,
        "preferred_username": "<b>\x00 ",
    }
    client = Client()
    there_and_back(client)
    assert logged_in(client)
    user = SocialAccount.objects.get().user
    assert (user.username, user.email) == ("b", "")
    assert "\x00" not in user.get_full_name()


def test_a_name_that_is_taken_gets_a_number(provider: Provider, alice: User) -> None:
    provider.person = person("alice", "noc")
    there_and_back(Client())
    assert SocialAccount.objects.get().user.username == "alice-2"


def test_who_was_deactivated_stays_out(provider: Provider) -> None:
    there_and_back(Client())
    ann = User.objects.get(username="ann")
    services.user_deactivate(user=ann, actor="test", reason="left")
    client = Client()
    refused(there_and_back(client), 403, "Your user is deactivated")
    assert not logged_in(client)


def test_another_issuer_s_subject_is_somebody_else(provider: Provider) -> None:
    there_and_back(Client())
    SocialAccount.objects.update(provider="https://former.example")
    provider.person = person("bea", "noc", sub="sub-of-ann")
    there_and_back(Client())
    assert SocialAccount.objects.get(provider=provider.issuer).user.username == "bea"


def test_without_a_provider_its_pages_are_not_there(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    for page in (START, CALLBACK, "/security/sign-on/", "/security/confirm/sign-on/"):
        assert client.get(page).status_code == 404
    assert "Continue with" not in Client().get("/login/").content.decode()
