"""Make people who log in by the form: some without an app, and some who already have one.

A program for a migrated database, run in the environment of the site. It prints JSON: each name's
secret of the app ("" if none) and recovery codes, and `sessions`.
"""

import json

import django

from tests.browser.stage import PASSWORD, sessions_of

WITHOUT, WITH, OTHER, GUESSED = "fang.an", "guo.bo", "he.chen", "jiang.de"
KEYED = "kong.fei"


def main() -> None:
    django.setup()
    from poolsite.access import services
    from poolsite.access.models import User
    from tests.access.second_factor import give_app, give_codes

    told: dict[str, dict[str, object]] = {}
    users: list[User] = []
    for name in (WITHOUT, WITH, OTHER, GUESSED, KEYED):
        user = services.user_create(
            username=name,
            email=f"{name}@example.org",
            password=PASSWORD,
            is_operator=True,
            actor="stage",
        )
        services.grant_set(user=user, name="finance", actor="stage")
        told[name] = {"secret": "", "codes": []}
        if name not in (WITHOUT, KEYED):
            told[name] = {"secret": give_app(user), "codes": give_codes(user)}
        users.append(user)
    print(json.dumps({**told, "sessions": sessions_of(*users)}))


if __name__ == "__main__":
    main()
