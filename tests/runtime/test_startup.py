"""When web, worker and beat refuse to start: real processes with real servers."""

import os
import subprocess
from collections.abc import Iterator

import pytest

from poolsite.runtime import startup
from poolsite.runtime.redis_server import RedisServer
from tests.support import forking
from tests.support.old_redis import old_redis
from tests.support.ports import free_port
from tests.support.waiting import patient

pytestmark = pytest.mark.processes

PROGRAMS = {
    "web": ["-c", "import poolsite.asgi; print('started')"],
    "worker": ["-m", "celery", "-A", "poolsite", "worker", "-c", "1", "--without-mingle"],
    "beat": ["-m", "celery", "-A", "poolsite", "beat", "-s", os.devnull, "--pidfile="],
}


def start(role: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return run(PROGRAMS[role], **variables)


def run(command: list[str], **variables: str) -> "subprocess.CompletedProcess[str]":
    return forking.run(command, {**os.environ, **variables}, timeout=patient(60))


def refusals(role: str, **variables: str) -> list[str]:
    """Return the sentences with which the process refused. Fail if it did not refuse."""
    result = start(role, **variables)
    assert result.returncode == 1, result.stdout + result.stderr
    sign = "Poolsite does not start: "
    return [line[len(sign) :] for line in result.stderr.splitlines() if line.startswith(sign)]


@pytest.fixture
def old_redis_url() -> Iterator[str]:
    with old_redis() as url:
        yield url


DEFAULT_KEY = "insecure-default-secret-refused-outside-debug"


@pytest.mark.parametrize("role", PROGRAMS)
def test_every_unsafe_setting_is_refused_at_once_with_its_remedy(role):
    told = refusals(
        role,
        POOLSITE_SECRET_KEY="x",
        POOLSITE_ALLOWED_HOSTS="*",
        POOLSITE_BEHIND_TLS="1",
        POOLSITE_HSTS_PRELOAD="1",
        EMAIL_URL="consolemail://",
    )
    remedies = [
        "set POOLSITE_SECRET_KEY to 50 random characters",
        "list the host names of this site instead",
        "set POOLSITE_TRUSTED_PROXIES to the proxy's network",
        "set EMAIL_URL to a mail server",
        "or unset POOLSITE_HSTS_PRELOAD",
    ]
    assert len(told) == len(remedies), told
    assert all(remedy in line for remedy, line in zip(remedies, told, strict=True)), told


def test_with_debugging_on_the_default_secret_and_mail_to_the_log_will_do():
    result = start(
        "web",
        POOLSITE_SECRET_KEY=DEFAULT_KEY,
        EMAIL_URL="consolemail://",
        POOLSITE_DEBUG="1",
    )
    assert result.stdout.endswith("started\n"), result.stderr


@pytest.mark.parametrize("mode", ["POOLSITE_DEMO", "POOLSITE_DEBUG"])
def test_the_demo_and_debugging_on_a_public_name_are_refused(mode):
    (refusal,) = refusals("web", **{mode: "1", "POOLSITE_ALLOWED_HOSTS": "localhost,a.example"})
    assert f"{mode}=1 is for your own machine" in refusal
    assert "POOLSITE_ALLOWED_HOSTS contains a.example" in refusal


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "uvicorn", "poolsite.asgi:application", "--host", "0.0.0.0", "--port", "PORT"],
        ["-m", "daphne", "-b", "0.0.0.0", "-p", "PORT", "poolsite.asgi:application"],
        ["manage.py", "runserver", "--noreload", "0.0.0.0:PORT"],
    ],
)
def test_a_server_of_the_demo_that_would_listen_to_everybody_does_not_start(command):
    words = [word.replace("PORT", str(free_port())) for word in command]
    result = run(words, POOLSITE_DEMO="1")
    assert "POOLSITE_DEMO=1 is for your own machine, but the server is set" in result.stderr
    assert result.returncode == 1


def test_the_demo_itself_listens_to_nobody_else():
    result = run(["-m", "poolsite.runtime.demo"], POOLSITE_HOST="0.0.0.0")
    assert result.returncode == 1
    assert result.stderr == (
        "The demo is for your own machine and does not listen on 0.0.0.0: set "
        "POOLSITE_HOST=127.0.0.1, or install Poolsite as docs/operations/install.md describes.\n"
    )


def test_a_redis_older_than_6_2_is_refused_with_the_remedy(old_redis_url):
    (refusal,) = refusals("web", REDIS_URL=old_redis_url)
    assert refusal.startswith("Redis 6.0.16 at single 127.0.0.1:")
    assert "install Redis 6.2 or newer" in refusal


def test_every_version_that_we_support_may_start(each_redis: RedisServer):
    result = start("web", REDIS_URL=each_redis.url)
    assert result.stdout.endswith("started\n"), result.stderr


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
def test_a_redis_that_evicts_is_refused_with_the_remedy(each_redis: RedisServer, policy):
    with each_redis.client() as client:
        client.config_set("maxmemory-policy", policy)
        try:
            (refusal,) = refusals("web", REDIS_URL=each_redis.url)
        finally:
            client.config_set("maxmemory-policy", "noeviction")
    assert f"(maxmemory-policy {policy})" in refusal
    assert "run CONFIG SET maxmemory-policy noeviction" in refusal


@pytest.mark.parametrize("name", ["CACHE_URL", "CELERY_BROKER_URL"])
def test_a_cluster_for_another_use_than_the_hot_path_is_refused(name):
    (refusal,) = refusals("web", **{name: "redis+cluster://127.0.0.1:7000"})
    assert refusal.startswith(f"{name} names a Redis Cluster")
    assert f"set {name} to one server" in refusal


def test_a_hot_path_on_a_cluster_asks_for_the_other_addresses(redis_cluster):
    told = refusals("web", REDIS_URL=redis_cluster.url)
    assert [line.split(" and ")[1].split(" ")[0] for line in told] == [
        "CACHE_URL",
        "CELERY_BROKER_URL",
    ]


def test_a_hot_path_on_a_cluster_starts_with_the_others_on_one_server(redis_cluster, redis_server):
    others = dict.fromkeys(("CACHE_URL", "CELERY_BROKER_URL"), redis_server.url)
    result = start("web", REDIS_URL=redis_cluster.url, **others)
    assert result.stdout.endswith("started\n"), result.stderr


def test_every_master_of_a_cluster_is_looked_at(redis_cluster, redis_server):
    others = dict.fromkeys(("CACHE_URL", "CELERY_BROKER_URL"), redis_server.url)
    last = redis_cluster.nodes[-1]
    with last.client() as client:
        client.config_set("maxmemory-policy", "allkeys-random")
        try:
            (refusal,) = refusals("web", REDIS_URL=redis_cluster.url, **others)
        finally:
            client.config_set("maxmemory-policy", "noeviction")
    assert f"127.0.0.1:{last.port}" in refusal


def test_a_redis_that_does_not_answer_is_no_reason_to_refuse():
    result = start("web", REDIS_URL="redis://127.0.0.1:1/0")
    assert result.stdout.endswith("started\n"), result.stderr


def test_valkey_is_judged_by_its_own_version_not_by_the_redis_that_it_claims_to_be():
    info = {"redis_version": "7.2.4", "valkey_version": "6.1.0", "maxmemory_policy": "noeviction"}
    (refusal,) = startup.info_refusals("here", info)
    assert refusal.startswith("Valkey 6.1.0 at here is too old")
    assert list(startup.info_refusals("here", {**info, "valkey_version": "9.1.2"})) == []


def test_the_payment_provider_that_credits_anybody_is_refused_outside_the_demo() -> None:
    (refusal,) = refusals("web", POOLSITE_PAYMENTS="demo", POOLSITE_DEBUG="1", POOLSITE_DEMO="0")
    assert "only for the demo" in refusal


def test_stripe_is_refused_without_its_secrets_and_an_unknown_provider_always() -> None:
    said = refusals("web", POOLSITE_PAYMENTS="stripe,other", POOLSITE_DEBUG="1")
    assert any("POOLSITE_STRIPE_WEBHOOK_SECRET" in refusal for refusal in said)
    assert any("'other', which is not a payment provider" in refusal for refusal in said)
