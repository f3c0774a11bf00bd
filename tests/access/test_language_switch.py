"""Pages without a menu offer their languages: login, links from emails, errors."""

import pytest
from django.conf import settings
from django.test import Client

from poolsite.access.models import User

pytestmark = pytest.mark.django_db
CHOOSE = "/language/"


def test_the_login_page_is_shown_in_the_language_that_was_chosen(client: Client):
    assert "Log in" in client.get("/login/").content.decode()
    answer = client.post(CHOOSE, {"language": "zh-hans", "next": "/login/"})
    assert (answer.status_code, answer["Location"]) == (302, "/login/")
    page = client.get("/login/").content.decode()
    assert '<html lang="zh-hans">' in page
    assert "登录" in page


def test_the_choice_lasts_for_a_year_and_no_script_reads_it(client: Client):
    client.post(CHOOSE, {"language": "zh-hans"})
    cookie = client.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (cookie["max-age"], cookie["httponly"], cookie["samesite"], cookie["path"]) == (
        365 * 24 * 3600,
        True,
        "Lax",
        "/",
    )


def test_a_missing_page_offers_the_languages_and_leads_back_to_itself(client: Client):
    page = client.get("/no/such/page/?a=1").content.decode()
    assert '<input type="hidden" name="next" value="/no/such/page/?a=1">' in page
    assert page.count('<button name="language"') == len(settings.LANGUAGES)


def test_each_language_is_named_in_itself(client: Client):
    client.post(CHOOSE, {"language": "zh-hans"})
    page = client.get("/login/").content.decode()
    assert ">English</button>" in page
    assert ">简体中文</button>" in page


def test_an_unknown_language_changes_nothing(client: Client):
    client.post(CHOOSE, {"language": "tlh"})
    assert settings.LANGUAGE_COOKIE_NAME not in client.cookies


def test_the_switch_leads_to_no_other_site(client: Client):
    answer = client.post(CHOOSE, {"language": "en", "next": "https://evil.example/"})
    assert answer["Location"] == "/"


def test_only_a_form_of_ours_changes_the_language():
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(CHOOSE, {"language": "zh-hans"}).status_code == 403
    assert settings.LANGUAGE_COOKIE_NAME not in strict.cookies


def test_a_users_own_language_is_that_of_the_profile(client: Client):
    """The cookie is for the browser. A logged-in user's language is in the profile."""
    client.post(CHOOSE, {"language": "zh-hans"})
    client.force_login(User.objects.create_user("lin", locale="en"))
    page = client.get("/no/such/page/").content.decode()
    assert '<html lang="en"' in page
    assert 'name="language"' not in page
