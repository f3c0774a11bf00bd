"""No file contains a secret, and a secret would be found."""

import pytest

from poolsite.access import tokens
from tests.house.leaks import RULES, leaks
from tests.house.source import files, relative, text_of

pytestmark = pytest.mark.processes

LETTERS = "Ab3dE6gH9jKlMn0pQrStUvWxYz1234567890abcdEFGH"
# Assembled here, so that this file does not contain what it searches for.
PLANTED = {
    "private key": ["-----BEGIN " + "PRIVATE KEY-----", "-----BEGIN " + "OPENSSH PRIVATE KEY-----"],
    "AWS access key": ["AKIA" + "Q7ZP4XW2NB6VK3TD"],
    "Stripe key": ["sk_" + "live_" + LETTERS, "rk_" + "live_" + LETTERS, "whsec_" + LETTERS[:32]],
    "GitHub token": ["ghp_" + LETTERS[:36], "github_" + "pat_" + LETTERS + LETTERS],
    "GitLab token": ["glpat-" + LETTERS[:20]],
    "Slack token": ["xoxb-" + "2312312312-" + LETTERS, "/services/" + "T01234567/B01234567/x"],
    "Google key": ["AIza" + LETTERS[:35]],
    "package index token": ["pypi-" + "AgE" + LETTERS + LETTERS, "npm_" + LETTERS[:36]],
    "Poolsite token": [tokens.new_secret().plain, tokens.new_secret(tokens.VISITOR_PREFIX).plain],
    "JSON web token": [".".join(["eyJ" + LETTERS, "eyJ" + LETTERS, LETTERS])],
    "password in an address": ["postgres://poolsite:" + "Tr0ub4dor3@db.internal/poolsite"],
}
EXAMPLES = {("numbers/api/examples.py", "Poolsite token")}  # made up, for the API's reference
HARMLESS = [
    "postgres://user:password@host:5432/name",
    "smtp+tls://poolsite:password@mail.example.com:587",
    "redis://${USER}:${REDIS_PASSWORD}@redis:6379",
    "http://127.0.0.1:8000/pools/@me",
    "redis://console:a-test-s-own@127.0.0.1:6379",
    "sk_test_" + LETTERS,
    "-----BEGIN CERTIFICATE-----",
]


def test_no_file_holds_a_secret():
    found = [
        f"{relative(path)}:{number}: {kind}"
        for path in files()
        for number, kind in leaks(text_of(path))
        if (relative(path), kind) not in EXAMPLES
    ]
    assert found == []


@pytest.mark.parametrize("kind", RULES)
def test_a_secret_of_each_kind_is_found_where_it_stands(kind):
    for secret in PLANTED[kind]:
        assert list(leaks(f"first\nvalue = '{secret}'\n")) == [(2, kind)]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_one_is_left_alone(text):
    assert list(leaks(text)) == []
