"""The provider with passwords and second factors: linking, confirming, logging out, ONLY."""

from collections.abc import Iterator
from typing import Any

import httpx
import pyotp
import pytest
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.test import Client, override_settings

from poolsite.access import lookup, mail_tasks
from poolsite.access.models import AuditEntry, User
from tests.access.second_factor import give_app
from tests.access.sign_on import back_url, logged_in, person, refused, there_and_back
from tests.access.test_log_in import log_in
from tests.access.test_step_up import later
from tests.access.world import World
from tests.support.oidc_provider import Provider

LINK, LINK_START = "/security/sign-on/", "/security/sign-on/start/"
CONFIRM = "/security/confirm/sign-on/start/"
APP = "/security/app/"


@pytest.fixture
def ann(world: World, provider: Provider) -> Client:
    """A browser of a person who logged in through the provider, without a password."""
    client = Client()
    there_and_back(client)
    return client


def linked(client: Client) -> Any:
    """Link the provider from the page that offers it."""
    page = client.get(LINK)
    return there_and_back(client, f"{LINK_START}?key={page.context['key']}")


def test_who_has_a_password_links_the_provider_and_then_comes_in_by_it(
    alice: User,
    provider: Provider,
    django_capture_on_commit_callbacks: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mail_tasks.send_notice_mail, "delay", mail_tasks.send_notice_mail.run)
    client = Client()
    log_in(client, "alice")
    assert "Link Acme ID" in client.get(LINK).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        assert linked(client)["Location"] == LINK
    assert "Linked" in client.get(LINK).content.decode()
    other = Client()
    there_and_back(other)
    assert other.session["_auth_user_id"] == str(alice.pk)
    assert "operate" in set(alice.grants.values_list("name", flat=True))
    assert "Single sign-on was added to your login." in mail.outbox[0].body
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"{LINK}remove/")
    assert "Single sign-on was removed from your login." in mail.outbox[1].body
    assert not SocialAccount.objects.exists()
    assert not alice.grants.exists()
    told = AuditEntry.objects.filter(action__startswith="access.sign_on_").order_by("pk")
    assert [(each.action, each.actor_name) for each in told] == [
        ("access.sign_on_link", "alice"),
        ("access.sign_on_unlink", "alice"),
    ]


def test_a_link_on_another_page_links_nothing(alice: User, provider: Provider) -> None:
    client = Client()
    log_in(client, "alice")
    for query in ("", "?key=", "?key=guessed"):
        client.get(LINK)
        assert client.get(f"{LINK_START}{query}")["Location"] == LINK
    assert provider.asked == []


def test_a_login_of_somebody_else_is_not_linked(
    ann: Client, alice: User, provider: Provider
) -> None:
    client = Client()
    log_in(client, "alice")
    refused(linked(client), 403, "Already linked")
    provider.person = person("bea")
    assert linked(client).status_code == 302
    provider.person = person("cat")
    refused(linked(client), 403, "Already linked")
    assert SocialAccount.objects.filter(user=alice).count() == 1


def test_a_link_begun_by_another_user_of_this_browser_ends(
    alice: User, bob: User, provider: Provider
) -> None:
    client = Client()
    client.force_login(alice)
    session = client.session
    session["access_sign_on_link"] = "key"
    session.save()
    leaving = client.get(f"{LINK_START}?key=key")
    states = client.session["socialaccount_states"]
    client.force_login(bob)
    session = client.session
    session["socialaccount_states"] = states
    session.save()
    back = httpx.get(leaving["Location"]).headers["Location"]
    refused(client.get(back_url(back)), 403, "This is another user")
    assert not SocialAccount.objects.exists()


def test_a_stolen_session_without_a_password_changes_nothing_before_a_new_log_in(
    ann: Client, provider: Provider
) -> None:
    """allauth itself asks for nothing if the user has neither a password nor a second factor."""
    assert ann.get(APP).status_code == 200
    later(ann)
    for page in (APP, LINK):
        assert ann.get(page)["Location"].startswith("/security/confirm/sign-on/?next=")
    assert ann.post(f"{LINK}remove/").status_code == 302
    assert ann.get("/security/confirm/sign-on/?next=/security/app/").status_code == 200
    assert there_and_back(ann, f"{CONFIRM}?next={APP}")["Location"] == APP
    assert (provider.asked[-1]["prompt"], provider.asked[-1]["max_age"]) == ("login", "0")
    assert ann.get(APP).status_code == 200
    assert lookup.factor_at(User.objects.get(username="ann"), ann.session) is None


@pytest.mark.parametrize("auth_time", [None, 1_700_000_000, "now", True, 4_000_000_000])
def test_an_old_log_in_at_the_provider_confirms_nothing(
    ann: Client, provider: Provider, auth_time: Any
) -> None:
    later(ann)
    provider.faults = {"claims": {"auth_time": auth_time}}
    refused(there_and_back(ann, CONFIRM), 403, "Acme ID didn")
    assert ann.get(APP).status_code == 302


def test_another_person_at_the_provider_confirms_nothing(ann: Client, provider: Provider) -> None:
    later(ann)
    provider.person = person("mallory", "noc")
    refused(there_and_back(ann, CONFIRM), 403, "This is another user")
    assert ann.get(APP).status_code == 302
    assert ann.session["_auth_user_id"] == str(User.objects.get(username="ann").pk)


def test_the_second_factor_of_who_has_one_is_asked_after_the_provider(
    ann: Client, provider: Provider
) -> None:
    user = User.objects.get(username="ann")
    secret = give_app(user)
    client = Client()
    provider.person["amr"] = ["pwd", "mfa"]  # the provider's own factor does not count
    assert there_and_back(client, "/login/sign-on/?next=/security/")["Location"] == "/login/code/"
    assert not logged_in(client)
    assert user.password not in str(dict(client.session.items()))
    code = pyotp.TOTP(secret).now()
    assert client.post("/login/code/", {"code": code})["Location"] == "/security/"
    assert User.objects.get(username="ann").is_operator  # the groups' rights are still there
    later(ann)
    asked = "/security/confirm/?"
    assert ann.get("/security/passkeys/add/")["Location"].startswith(asked)
    assert ann.get("/security/confirm/sign-on/")["Location"].startswith(asked)
    refused(there_and_back(ann, CONFIRM), 403, "Acme ID didn")
    assert ann.get("/security/passkeys/add/").status_code == 302


def test_log_out_leads_on_to_the_provider_s_own(ann: Client, alice: User) -> None:
    page = ann.post("/logout/", follow=True).content.decode()
    assert not logged_in(ann)
    assert "/realm/logout?client_id=poolsite&amp;post_logout_redirect_uri=" in page
    other = Client()
    log_in(other, "alice")
    assert other.post("/logout/")["Location"] == "/login/"


@pytest.fixture
def only(provider: Provider) -> Iterator[None]:
    with override_settings(OIDC_ONLY=True):
        yield


@pytest.mark.usefixtures("only")
def test_where_only_the_provider_lets_people_in_passwords_do_not(alice: User) -> None:
    client = Client()
    page = client.get("/login/").content.decode()
    assert "Continue with Acme ID" in page
    assert 'name="password"' not in page
    log_in(client, "alice")
    assert not logged_in(client)
    there_and_back(client)
    assert logged_in(client)
    for path in (
        "/login/passkey/",
        "/password/reset/",
        "/password/reset/link/",
        "/password/reset/new/1-set-password/",
        "/security/password/",
        "/security/confirm/password/",
    ):
        assert client.get(path).status_code == client.post(path).status_code == 404
    assert "Change password" not in client.get("/security/").content.decode()


@pytest.mark.usefixtures("only")
def test_there_a_password_confirms_nothing_either(alice: User, provider: Provider) -> None:
    client = Client()
    client.force_login(alice)
    linked(client)
    later(client)
    assert client.get(APP)["Location"].startswith("/security/confirm/sign-on/")
    assert client.post(f"{LINK}remove/").status_code == 302
    assert SocialAccount.objects.filter(user=alice).exists()


def test_operators_see_who_comes_by_the_provider_and_by_which_groups(
    ann: Client, world: World
) -> None:
    user = User.objects.get(username="ann")
    page = world.client("operate").get(f"/operators/{user.pk}/").content.decode()
    assert "Logs in with Acme ID." in page
    assert "updated at each login: Operate." in page
    history = world.client("operate").get("/history/").content.decode()
    assert "logged in by single sign-on" in history


def test_refusals_from_one_address_end_in_429(provider: Provider, world: World) -> None:
    provider.person = person("ann")
    for _ in range(60):
        Client().get("/login/sign-on/callback/")
    refused(there_and_back(Client()), 429, "Too many attempts")
    assert not AuditEntry.objects.filter(action="access.sign_on_refuse").exists()
