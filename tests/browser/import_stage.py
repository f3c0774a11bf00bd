"""Make an empty pool for the import's scenario, and a token for the client that calls through it.

A program for a migrated database, run in the environment of the site. It prints the token.
"""

import json

import django

POOL = "harbour"


def main() -> None:
    django.setup()
    from numbers import services
    from poolsite.access.services import token_create

    services.pool_create(actor="test", slug=POOL, name="Harbour")
    _, secret = token_create(
        name="second client", account=None, resources=[f"pool:{POOL}"], actor="test"
    )
    print(json.dumps({"token": secret}))


if __name__ == "__main__":
    main()
