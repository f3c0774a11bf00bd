"""Every live topic, as every kind of person and program, for objects of every tenant."""

import asyncio

import pytest

from poolsite.live import resolve
from poolsite.live.topics import _TOPICS
from poolsite.runtime.redis_server import RedisServer
from tests.access import topic_rules as rules
from tests.access.topic_world import PEOPLE, WORDS, Tenant, credentials, make_tenant
from tests.access.watching import ask
from tests.access.world import World, make_world
from tests.support.matrix import observe

pytestmark = [pytest.mark.prove, pytest.mark.background]

Credentials = dict[str, tuple[bytes, bytes]]
HOME = {"foreign": "other", "other token": "other"}


@pytest.fixture
def world(transactional_db: None, clean_redis: RedisServer) -> World:
    return make_world()


@pytest.fixture
def tenants(world: World) -> dict[str, Tenant]:
    return {
        name: make_tenant(world, name, f"+861390000000{at}") for at, name in enumerate(WORDS, 1)
    }


@pytest.fixture
def proofs(world: World, tenants: dict[str, Tenant]) -> Credentials:
    return credentials(world, tenants["own"])


def foreign_words(person: str) -> set[str]:
    """Return the words that this person must never receive."""
    if person in rules.OPERATORS or person == "token":
        return set()
    return {word for tenant, word in WORDS.items() if tenant != HOME.get(person, "own")}


def test_every_topic_has_a_row_and_every_row_a_topic() -> None:
    names = {name for name in _TOPICS if not name.startswith("test.")}
    assert names == set(rules.RULES) | rules.FOR_OPERATORS


def address_of(name: str, rule: rules.TopicRule, tenant: Tenant | None) -> str:
    """Return a topic of this tenant's object; with None, one of no object."""
    return f"{name}:{tenant.keys[name] if tenant else rule.missing}"


async def test_each_person_gets_the_declared_answer_from_every_topic(
    tenants: dict[str, Tenant], proofs: Credentials
) -> None:
    wrong = []
    for person in (each for each in PEOPLE if each != "nobody"):
        wanted = {
            address_of(name, rule, tenants.get(tenant)): rules.expected(person, rule, tenant)
            for name, rule in rules.RULES.items()
            for tenant in (*WORDS, "missing")
            if tenant == "missing" or name in tenants[tenant].keys
        }
        only = "open" if person in rules.OPERATORS else "4403"
        wanted |= {f"{name}:all": only for name in rules.FOR_OPERATORS}
        answers, text = await ask(proofs[person], list(wanted))
        leaks = sum(text.count(word) for word in foreign_words(person))
        for address, answer in wanted.items():
            got = answers.get(address, "nothing")
            area = f"sockets {address.partition('.')[0]}"
            observe(area, person, got, expected=got == answer, leaks=leaks)
            if got != answer:
                wrong.append(f"{address} as {person}: {got}, not {answer}")
            leaks = 0
        wrong += [f"{person} received {word}" for word in foreign_words(person) if word in text]
    assert not wrong


async def test_nonsense_in_place_of_a_key_or_a_name_is_hidden_from_everybody(
    tenants: dict[str, Tenant], proofs: Credentials
) -> None:
    names = [*rules.RULES, *rules.FOR_OPERATORS]
    addresses = [f"{name}:{key}" for name in names for key in rules.MALFORMED] + [*rules.UNKNOWN]
    results = await asyncio.gather(
        *(ask(proofs[person], addresses) for person in ("owner", "operate", "token", "visitor"))
    )
    wrong = {
        f"{address!r}: {answers.get(address)}"
        for answers, _ in results
        for address in addresses
        if answers.get(address) != "4404"
    }
    assert not wrong


def test_nonsense_never_reaches_sql() -> None:
    """PostgreSQL accepts neither a NUL in a text nor a number of 60 digits."""
    odd = [key for key in rules.MALFORMED if not (key.isascii() and key.isprintable())]
    found = [f"{name}:{key}" for name in _TOPICS for key in odd if resolve(f"{name}:{key}")]
    assert len(odd) >= 8
    assert not [address for address in found if not address.startswith("test.")]
