"""Files are deleted with the text they belong to; none is left, whichever process dies."""

import itertools
import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from poolsite.access.models import AuditEntry
from poolsite.runtime.redis_server import RedisServer
from queueing.line.errors import LineError
from queueing.line.models import Attachment, Desk, Message, Visit
from queueing.line.services import attachments, erasing
from tests.line import pictures
from tests.line.attachment_world import Talkers, on_disk
from tests.line.line_world import make_line
from tests.live.servers import Site
from tests.support.parts import starts_processes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PROGRAM = "tests/line/attachment_process.py"
COUNT = itertools.count(1)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talkers]:
    cache.clear()
    with on_disk(tmp_path / "files"):
        yield Talkers(make_line())


@pytest.fixture
def files(tmp_path: Path) -> Any:
    """Return the number of files."""
    return lambda: sum(path.is_file() for path in (tmp_path / "files").rglob("*"))


def sent(talk: Talkers) -> str:
    """Send a file of each side. Return the visitor's address of the first. The visit is over."""
    assert talk.sends(text="My secret").status_code == 200
    assert talk.agent_sends().status_code == 200
    [url, _] = talk.addresses(talk.visitor)
    talk.ends()
    return url


def test_a_wish_removes_the_files_of_both_sides(talk: Talkers, files: Any) -> None:
    url = sent(talk)
    assert files() == 2
    done = erasing.visitor_erase(actor="test", desk=talk.line.desk, visit=talk.key, reason="wish")
    assert (done.messages, done.attachments) == (2, 2)
    assert (files(), Attachment.objects.count()) == (0, 0)
    assert Client().get(url).status_code == 404
    entry = AuditEntry.objects.get(action="line.visitor_erase")
    assert entry.after["attachments"] == 2
    assert "photo" not in str(entry.after)


def test_files_end_when_the_transcript_does(talk: Talkers, files: Any) -> None:
    sent(talk)
    Desk.objects.update(transcript_days=30)
    Visit.objects.update(ended_at=timezone.now() - timedelta(days=29))
    erasing.erase_expired()
    assert files() == 2
    Visit.objects.update(ended_at=timezone.now() - timedelta(days=31))
    erasing.erase_expired()
    assert (files(), Attachment.objects.count()) == (0, 0)


def test_an_erasure_that_is_taken_back_keeps_the_files(talk: Talkers, files: Any) -> None:
    sent(talk)
    with pytest.raises(LineError):
        erasing.visitor_erase(actor="test", desk=talk.line.desk, visit=talk.key, reason=" ")
    assert files() == Attachment.objects.filter(state="kept").count() == 2


def test_what_a_release_without_files_erased_is_removed(talk: Talkers, files: Any) -> None:
    sent(talk)
    assert attachments.forget_erased() == 0
    with connection.cursor() as cursor:  # as the earlier release does, which knows no files
        cursor.execute("DELETE FROM line_message")
    Visit.objects.update(erased_at=timezone.now())
    assert attachments.forget_erased() == 2
    assert (files(), Attachment.objects.count()) == (0, 0)


def test_a_storage_that_fails_is_asked_again(
    talk: Talkers, files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = attachments.storage()

    def fails(*_: object) -> None:
        raise OSError("the storage is away")

    with monkeypatch.context() as patch:
        patch.setattr(storage, "save", fails)
        answer = talk.sends()
        assert (answer.status_code, answer.json()["type"]) == (503, "unavailable")
        assert not Attachment.objects.exists()
        assert not Message.objects.exists()
    sent(talk)
    with monkeypatch.context() as patch:
        patch.setattr(storage, "delete", fails)
        erasing.visitor_erase(actor="test", desk=talk.line.desk, visit=talk.key, reason="wish")
    assert files() == 2
    assert set(Attachment.objects.values_list("state", "name")) == {("removing", "")}
    assert attachments.sweep_attachments() == {"removed": 0, "due": 0}  # it gets some time
    Attachment.objects.update(look_at=timezone.now())
    assert attachments.sweep_attachments() == {"removed": 2, "due": 2}
    assert files() == 0


def test_an_upload_that_the_sweep_was_first_to_is_refused_and_leaves_nothing(
    talk: Talkers, files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = attachments._store

    def slow(row: Attachment, data: bytes) -> None:
        store(row, data)
        Attachment.objects.update(look_at=timezone.now())
        attachments.sweep_attachments()

    monkeypatch.setattr(attachments, "_store", slow)
    answer = talk.sends()
    assert (answer.status_code, answer.json()["type"]) == (503, "unavailable")
    assert "too long" in answer.json()["detail"]
    assert (files(), Attachment.objects.count(), Message.objects.count()) == (0, 0, 0)


def test_an_upload_into_a_visit_that_ends_meanwhile_leaves_nothing(
    talk: Talkers, files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = attachments._store

    def slow(row: Attachment, data: bytes) -> None:
        Visit.objects.update(ended_at=timezone.now())
        store(row, data)

    monkeypatch.setattr(attachments, "_store", slow)
    assert talk.sends().json()["type"] == "visit-ended"
    assert (files(), Attachment.objects.count(), Message.objects.count()) == (0, 0, 0)


def test_the_same_id_at_once_is_one_message_one_row_and_one_file(
    talk: Talkers, files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = Barrier(4)
    read = attachments._read

    def all_have_looked(*given: Any) -> Any:
        together.wait(30)
        return read(*given)

    monkeypatch.setattr(attachments, "_read", all_have_looked)
    visit = talk.visit

    def send(number: int) -> int:
        try:
            said = attachments.attachment_send(
                visit=visit,
                author="visitor",
                client_id="same",
                text="",
                name=f"{number}.png",
                content=[pictures.png(colour=number)],
            )
            return said.message.pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(send, range(4)))) == 1
    assert (files(), Attachment.objects.count(), Message.objects.count()) == (1, 1, 1)
    assert Attachment.objects.get().state == "kept"


# -- killed between every two steps ----------------------------------------------------------------


@pytest.fixture(scope="module")
@starts_processes
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("floor")
    redis = RedisServer(folder=folder / "redis", append_only=False).start()
    site = Site(folder / "site", redis.url)
    site.migrate()
    yield site
    redis.stop()


@pytest.mark.parametrize(
    ("point", "verb"),
    [
        ("after_row", "send"),
        ("after_store", "send"),
        ("before_delete", "erase"),
        ("after_delete", "erase"),
    ],
)
def test_a_process_that_dies_leaves_no_file_and_no_row(floor: Site, point: str, verb: str) -> None:
    slug = f"desk{next(COUNT)}"
    crash = {"POOLSITE_CRASH_AT": f"line.attachment.{point}", "POOLSITE_CHAOS": "1"}
    done = floor.forked(PROGRAM, verb, slug, **crash)
    assert done.returncode == -signal.SIGKILL, f"{point}: {done.stdout}\n{done.stderr[-2000:]}"
    told = json.loads(floor.run(PROGRAM, "recover", slug).splitlines()[-1])
    name = "" if verb == "erase" else "me.png"
    assert told == {"names": [name], "rows": 0, "files": []}
