"""Billing: books, gateway, payments, abilities."""

from poolsite.settings.site import BEHIND_TLS, DEMO, SITE_HOST, env

BILLING_FOUR_EYES_ABOVE = env.int("POOLSITE_FOUR_EYES_ABOVE", default=0)  # units; 0: always
BILLING_PERSIST_SECONDS = env.float("POOLSITE_PERSIST_SECONDS", default=5.0 if DEMO else 60.0)
BILLING_SHARDS = env.int("POOLSITE_BILLING_SHARDS", default=1 if DEMO else 4)  # persistence
BILLING_AUDIT_SECONDS = env.float("POOLSITE_AUDIT_SECONDS", default=30.0 if DEMO else 300.0)
BILLING_KEEP_DAYS = env.int("POOLSITE_BILLING_KEEP_DAYS", default=396)  # ended messages, in SQL
BILLING_REDIS_URLS = env.dict("POOLSITE_BILLING_REDIS_URLS", default={})  # name=url,name=url
BILLING_GATEWAY = env.str("POOLSITE_GATEWAY", default="http")  # a folder of billing/gateways
BILLING_GATEWAY_URL = env.str("POOLSITE_GATEWAY_URL", default="")
BILLING_GATEWAY_TOKEN = env.str("POOLSITE_GATEWAY_TOKEN", default="")
BILLING_GATEWAY_CONCURRENCY = env.int("POOLSITE_GATEWAY_CONCURRENCY", default=32)
PAYMENT_MODEL = "billing.Recharge"
PAYMENT_HOST = SITE_HOST
PAYMENT_USES_SSL = BEHIND_TLS
PAYMENTS = env.list("POOLSITE_PAYMENTS", default=["demo"] if DEMO else [])
_PROVIDERS: dict[str, tuple[str, dict[str, object]]] = {
    "demo": ("billing.recharging.demo_provider.DemoProvider", {}),
    "stripe": (
        "billing.recharging.stripe_provider.StripeProvider",
        {
            "api_key": env.str("POOLSITE_STRIPE_SECRET_KEY", default=""),
            "endpoint_secret": env.str("POOLSITE_STRIPE_WEBHOOK_SECRET", default=""),
        },
    ),
}
PAYMENT_VARIANTS = {name: _PROVIDERS[name] for name in PAYMENTS if name in _PROVIDERS}
BILLING_ABILITY_PROVIDER = env.str("POOLSITE_ABILITY_PROVIDER", default="table")  # or http
BILLING_ABILITY_URL = env.str("POOLSITE_ABILITY_URL", default="")
BILLING_ABILITY_TOKEN = env.str("POOLSITE_ABILITY_TOKEN", default="")
