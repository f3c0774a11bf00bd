"""Who may open the pages of login and second factor: allauth's pages, below our URLs."""

from collections.abc import Callable
from typing import Any

WITHOUT_ONE = {"nobody": "login", "*": "hidden"}  # the readers have no second factor
NOTHING_TO_GIVE = {"nobody": "login", "*": "no"}  # nor a password
NO_PROVIDER = {"*": "hidden"}  # with a provider: test_oidc.py and test_oidc_users.py
PUBLIC = {"*": "ok"}
LOGGED_IN = {"nobody": "login", "*": "ok"}


def rows(rule: Callable[..., Any]) -> dict[str, Any]:
    """Return URL pattern → rule."""
    return {
        "login/": rule(PUBLIC),
        "login/code/": rule({"nobody": "login", "*": "ok"}),
        "login/passkey/": rule({"nobody": "login", "*": "ok"}),
        "login/closed/": rule({"*": "login"}),
        "language/": rule(PUBLIC, method="post", data={"language": "en"}),
        "logout/": rule({"*": "login"}, method="post"),
        "password/reset/": rule(PUBLIC),
        "password/reset/sent/": rule(PUBLIC),
        "password/first/": rule(PUBLIC),
        "password/reset/done/": rule({"*": "login"}),
        r"^password/reset/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>set-password)/$": rule(
            PUBLIC, url="/password/reset/new/1-set-password/"
        ),
        "security/": rule(LOGGED_IN),
        "security/password/": rule(LOGGED_IN),
        "security/app/": rule(LOGGED_IN),
        "security/app/remove/": rule(WITHOUT_ONE),
        "security/codes/": rule(WITHOUT_ONE),
        "security/codes/new/": rule(LOGGED_IN),
        "security/passkeys/": rule(LOGGED_IN),
        "security/passkeys/add/": rule(LOGGED_IN),
        "security/passkeys/<int:pk>/": rule(WITHOUT_ONE, url="/security/passkeys/1/"),
        "security/passkeys/<int:pk>/remove/": rule(WITHOUT_ONE, url="/security/passkeys/1/remove/"),
        "security/sessions/": rule(LOGGED_IN),
        "security/confirm/": rule(LOGGED_IN),
        "security/confirm/passkey/": rule(NOTHING_TO_GIVE),
        "security/confirm/password/": rule(NOTHING_TO_GIVE),
        "login/sign-on/": rule(NO_PROVIDER),
        "login/sign-on/callback/": rule(NO_PROVIDER),
        "logout/sign-on/": rule(NO_PROVIDER),
        "security/sign-on/": rule(NO_PROVIDER),
        "security/sign-on/start/": rule(NO_PROVIDER),
        "security/sign-on/remove/": rule(NO_PROVIDER, method="post"),
        "security/confirm/sign-on/": rule(NO_PROVIDER),
        "security/confirm/sign-on/start/": rule(NO_PROVIDER),
    }
