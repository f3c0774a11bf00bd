"""Which single sign-on settings are refused at start-up, each with its remedy."""

from typing import Any

import pytest

from poolsite.runtime import safety

GOOD = {
    "ISSUER": "https://login.example.com/realms/staff",
    "CLIENT_ID": "poolsite",
    "CLIENT_SECRET": "secret",
    "ROLES": '{"noc": ["operate", {"account": "acme", "role": "admin"}]}',
}


def refusals(settings: Any, **changed: Any) -> list[str]:
    for name, value in {**GOOD, **changed}.items():
        setattr(settings, f"OIDC_{name}", value)
    return list(safety.single_sign_on_refusals())


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"ONLY": True},
        {"ISSUER": "http://127.0.0.1:8080"},
        {"ISSUER": "http://localhost:8080/realm"},
        {"ISSUER": "", "CLIENT_ID": ""},
    ],
)
def test_a_complete_provider_is_taken(settings: Any, changed: dict[str, Any]) -> None:
    assert refusals(settings, **changed) == []


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"ISSUER": "", "CLIENT_ID": "", "ONLY": True}, "ONLY is set without POOLSITE_OIDC_ISSUER"),
        ({"ISSUER": ""}, "CLIENT_ID is set without POOLSITE_OIDC_ISSUER"),
        ({"ISSUER": "http://login.example.com"}, "must begin with https://"),
        ({"ISSUER": "login.example.com"}, "must begin with https://"),
        ({"ISSUER": "https://login.example.com/?realm=1"}, "without ? and #"),
        ({"ISSUER": "https://a.example/.well-known/openid-configuration"}, "leave that out"),
        ({"CLIENT_ID": ""}, "without POOLSITE_OIDC_CLIENT_ID"),
        ({"CLIENT_SECRET": ""}, "without POOLSITE_OIDC_CLIENT_SECRET"),
        ({"SCOPES": ["email"]}, "has no openid"),
        ({"ROLES": "noc=operate"}, "POOLSITE_OIDC_ROLES can't be used: it is not JSON"),
        ({"ROLES": '{"noc": "finance"}'}, "group 'noc': finance needs the approval"),
    ],
)
def test_what_is_missing_or_unsafe_is_refused(
    settings: Any, changed: dict[str, Any], why: str
) -> None:
    [refusal] = refusals(settings, **changed)
    assert why in refusal


def test_the_start_asks_for_it(settings: Any) -> None:
    settings.OIDC_ONLY = True
    assert any("POOLSITE_OIDC_ONLY" in each for each in safety.refusals())
