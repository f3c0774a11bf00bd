"""Make people who log in by the form: one without an app, and two who have one already.

A program for a migrated database, run in the environment of the site; prints JSON: each name's
secret of the app ("" = none) and recovery codes, and `sessions`.
"""

import json

import django
import pyotp

from tests.browser.stage import PASSWORD, sessions_of

WITHOUT, WITH, OTHER, GUESSED = "fang.an", "guo.bo", "he.chen", "jiang.de"


def main() -> None:
    django.setup()
    from poolsite.access import services
    from poolsite.access.models import User

    told: dict[str, dict[str, object]] = {}
    users: list[User] = []
    for name in (WITHOUT, WITH, OTHER, GUESSED):
        user = services.user_create(
            username=name,
            email=f"{name}@example.org",
            password=PASSWORD,
            is_operator=True,
            actor="stage",
        )
        services.grant_set(user=user, name="finance", actor="stage")
        secret, codes = "", list[str]()
        if name != WITHOUT:
            secret = services.factor_begin(user=user)
            totp = pyotp.TOTP(secret)
            codes = services.factor_confirm(user=user, code=totp.now(), actor="stage")
        told[name] = {"secret": secret, "codes": codes}
        users.append(user)
    print(json.dumps({**told, "sessions": sessions_of(*users)}))


if __name__ == "__main__":
    main()
