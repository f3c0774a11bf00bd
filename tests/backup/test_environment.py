"""What a backup records of the settings: never a secret."""

import json

import pytest

from poolsite.backup.environment import HIDDEN, settings_set

SECRET = "hunter-2"


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("POOLSITE_PERSIST_SECONDS", "60", "60"),
        ("POOLSITE_ALLOWED_HOSTS", "a.example.com,b.example.com", "a.example.com,b.example.com"),
        ("POOLSITE_SECRET_KEY", SECRET, HIDDEN),
        ("POOLSITE_GATEWAY_TOKEN", SECRET, HIDDEN),
        ("POOLSITE_ATTACHMENTS_STORAGE", json.dumps({"secret": SECRET}), HIDDEN),
        ("DATABASE_URL", f"postgres://site:{SECRET}@db:5432/site", "postgres://db:5432/site"),
        ("REDIS_URL", f"redis+cluster://u:{SECRET}@a:1,b:2", "redis+cluster://a:1,b:2"),
        ("REDIS_URL", f"redis+cluster://u:x,{SECRET}@a:1,b:2", "redis+cluster://a:1,b:2"),
        ("REDIS_URL", f"unix://:{SECRET}@/run/redis.sock?db=1", "unix:///run/redis.sock"),
        (
            "REDIS_URL",
            f"redis+sentinel://a:1/m?sentinel_password={SECRET}",
            "redis+sentinel://a:1/m",
        ),
        ("REDIS_URL", f"redis://:a/{SECRET}@host/0", HIDDEN),
        ("REDIS_URL", f"redis://:{SECRET}?@host/0", HIDDEN),
        ("REDIS_URL", f"redis://host?password=a@{SECRET}", HIDDEN),
        (
            "POOLSITE_BILLING_REDIS_URLS",
            f"one=redis://:{SECRET}@a:1,two=redis://:{SECRET}@b:2",
            "one=redis://a:1,two=redis://b:2",
        ),
        ("EMAIL_URL", f"smtp+tls://me:{SECRET}@mail:587", "smtp+tls://mail:587"),
    ],
)
def test_log_ins_and_secrets_are_left_out(monkeypatch, name, value, shown):
    monkeypatch.setenv(name, value)
    assert settings_set()[name] == shown


def test_what_is_no_setting_of_the_site_is_not_told(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    assert "AWS_SECRET_ACCESS_KEY" not in settings_set()
