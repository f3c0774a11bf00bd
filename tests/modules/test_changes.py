"""What counts as a change: committed SQL, and Redis commands that may have written."""

import pytest
from django.db import OperationalError, connection, transaction

from poolsite import changes, hotpath
from poolsite.access.models import Account
from queueing.dispatch import dispatcher as commands
from tests.dispatch.people import make_group

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def write() -> None:
    Account.objects.create(slug="own", name="Own")


def write_together() -> None:
    with transaction.atomic():
        write()


def roll_back() -> None:
    with transaction.atomic():
        write()
        transaction.set_rollback(True)


def roll_back_inside() -> None:
    with transaction.atomic():
        list(Account.objects.all())
        with transaction.atomic():
            write()
            transaction.set_rollback(True)


def read() -> None:
    list(Account.objects.all())
    hotpath.run(commands.show("asi"))


def refused_by_redis() -> None:
    with pytest.raises(hotpath.AggregateRefused):
        hotpath.run(commands.offer("none"))


def without_redis() -> None:
    with hotpath.connect("redis://127.0.0.1:1"), pytest.raises(hotpath.Unavailable):
        hotpath.run(commands.offer("asi"))


def write_to_redis() -> None:
    offered = hotpath.run(commands.offer("asi"))
    hotpath.run(
        commands.register_back("asi", offered, offered, "boot1", "as-1", "1", 9, 1, "f" * 16, "web")
    )


@pytest.mark.parametrize(
    ("do", "changed"),
    [
        (write, True),
        (write_together, True),
        (roll_back, False),
        (roll_back_inside, False),
        (read, False),
        (refused_by_redis, False),
        (without_redis, False),
        (write_to_redis, True),
    ],
)
def test_what_is_a_change(do, changed: bool) -> None:
    make_group()
    assert not changes.is_watched()
    with changes.watching() as seen:
        do()
    assert seen.changed is changed
    assert not changes.is_watched()


@transaction.atomic
def fail_to_commit() -> None:
    """Lose the connection during the commit: PostgreSQL may or may not have committed."""
    write()
    raise OperationalError("the connection was lost")


@transaction.atomic
def fail_in_a_statement() -> None:
    write()
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM no_such_table")


@pytest.mark.parametrize(
    ("fail", "changed"), [(fail_to_commit, True), (fail_in_a_statement, False)]
)
def test_a_commit_that_failed_may_have_been_done(fail, changed: bool) -> None:
    with pytest.raises(OperationalError), changes.watching() as seen:
        fail()
    assert seen.changed is changed


def test_what_another_thread_did_for_this_one_is_noted_by_its_outcome() -> None:
    with changes.watching() as seen:
        with pytest.raises(hotpath.Unavailable), changes.noted(hotpath.Unavailable):
            raise hotpath.Unavailable
        assert not seen.changed
        with pytest.raises(hotpath.UnknownOutcome), changes.noted(hotpath.Unavailable):
            raise hotpath.UnknownOutcome
    assert seen.changed
