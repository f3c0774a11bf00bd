"""A browser that logs in through the tests' provider, over real HTTP."""

import json
from typing import Any

import httpx
from django.test import Client

from tests.support.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider

HOST = "localhost"
ROLES = {
    "noc": "operate",
    "watch": "operator",
    "desk": {"grant": "supervise", "object": "desk:support"},
    "acme-admins": {"account": "own", "role": "admin"},
    "lost": {"account": "nowhere", "role": "admin"},
}


def options(provider: Provider) -> dict[str, Any]:
    """Return the settings for this provider."""
    return {
        "OIDC_ISSUER": provider.issuer,
        "OIDC_CLIENT_ID": CLIENT_ID,
        "OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "OIDC_NAME": "Acme ID",
        "OIDC_ROLES": json.dumps(ROLES),
    }


def person(name: str, *groups: str, **claims: Any) -> dict[str, Any]:
    """Return the claims of a person at the provider."""
    return {
        "sub": f"sub-of-{name}",
        "preferred_username": f"{name}@acme.example",
        "name": f"{name.title()} Doe",
        "email": f"{name}@acme.example",
        "email_verified": True,
        "groups": list(groups),
        **claims,
    }


def there_and_back(client: Client, url: str = "/login/sign-on/", **changed: str) -> Any:
    """Log in through the provider.

    changed: parameters of the callback; None drops one.
    """
    leaving = client.get(url)
    assert leaving.status_code == 302, leaving.content
    back = httpx.get(leaving["Location"])
    return client.get(back_url(back.headers["Location"], **changed))


def back_url(location: str, **changed: str) -> str:
    """Return the path and query of the callback, with some parameters changed."""
    url = httpx.URL(location)
    return f"{url.path}?{url.params.merge(changed)}"


def logged_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def refused(answer: Any, status: int, text: str) -> None:
    assert answer.status_code == status
    assert text in answer.content.decode()
