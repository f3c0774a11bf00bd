"""A program that makes the account `bench` with money, tariff and chatbot; prints two tokens."""

import django


def main() -> None:
    """Print one line: the chatbot's token and the gateway's."""
    django.setup()
    from tests.billing.api.shop import make_shop

    shop = make_shop("bench", money=10**12)
    print(shop.token, shop.gateway)


if __name__ == "__main__":
    main()
