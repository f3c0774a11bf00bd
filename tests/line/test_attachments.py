"""Files of rooms over HTTP: sent by both sides, refused, limited, shown to permitted readers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from poolsite.access.models import AuditEntry, User
from poolsite.access.services import membership_set, token_create
from queueing.line.api import attachments as routes
from queueing.line.models import Attachment, Desk, Message
from queueing.line.services.attachments import storage
from queueing.line.topics.visit import messages_after
from tests.access.world import World, make_world
from tests.line import pictures
from tests.line.attachment_world import Talkers, address_for, logged_in, on_disk, stored_in
from tests.line.line_world import LineWorld, make_line
from tests.line.test_api import Caller, acts, agent_of, joins

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


@pytest.fixture(params=["InMemoryStorage", "FileSystemStorage"])
def talk(request: pytest.FixtureRequest, line: LineWorld, tmp_path: Path) -> Iterator[Talkers]:
    options = {"location": str(tmp_path)} if request.param == "FileSystemStorage" else {}
    with stored_in(request.param, **options):
        yield Talkers(line)


@pytest.fixture
def quick(line: LineWorld) -> Iterator[Talkers]:
    with stored_in("InMemoryStorage"):
        yield Talkers(line)


def refused(answer: Any, status: int, kind: str, words: str) -> None:
    said = answer.json()
    assert (answer.status_code, said["type"]) == (status, kind), said
    assert words in said["detail"]
    assert not Attachment.objects.exists()


def test_both_sides_send_files_and_read_each_others(talk: Talkers) -> None:
    sent = talk.sends(pictures.jpeg(), "../my photo.jpg", text="The crack").json()
    file = sent["attachment"]
    assert (sent["number"], sent["author"], sent["text"]) == (1, "visitor", "The crack")
    assert (file["name"], file["kind"]) == ("my photo.jpg", "image/jpeg")
    assert (file["width"], file["height"], file["size"]) == (16, 8, len(pictures.jpeg()))
    back = talk.agent_sends().json()
    assert (back["number"], back["name"], back["text"]) == (2, "Li", "")
    seen = talk.visitor.get(f"visits/{talk.key}/messages").json()["messages"]
    assert seen == [sent, back]
    assert messages_after(talk.key, 0, notes=True) == seen  # what the live topics send
    for who, client in ((talk.visitor, Client()), (talk.agent, talk.agent)):
        photo, bill = (client.get(url) for url in talk.addresses(who))
        assert (photo.content, photo["Content-Type"]) == (pictures.jpeg(), "image/jpeg")
        assert photo["Content-Disposition"] == 'inline; filename="my photo.jpg"'
        assert (bill.content, bill["Content-Type"]) == (pictures.PDF, "application/pdf")
        assert bill["Content-Disposition"] == 'attachment; filename="bill.pdf"'
        for answer in (photo, bill):
            assert answer["X-Content-Type-Options"] == "nosniff"
            assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
            assert answer["Cache-Control"] == "private, no-cache"
            again = client.get(
                answer.request["PATH_INFO"], headers={"If-None-Match": answer["ETag"]}
            )
            assert (again.status_code, again.content) == (304, b"")
    row = Attachment.objects.get(kind="image/jpeg")
    assert "photo" not in row.file
    assert storage().exists(row.file)


def test_the_transcript_names_files(quick: Talkers) -> None:
    quick.sends(text="See here")
    quick.agent_sends(name="收据.pdf")
    text = quick.visitor.get(f"visits/{quick.key}/transcript").content.decode()
    assert f"Ann: [photo.png, {len(pictures.png())} bytes] See here" in text
    assert "Li: [收据.pdf, " in text


@pytest.mark.parametrize(
    ("data", "name"),
    [(pictures.SVG, "x.svg"), (pictures.HTML, "x.png"), (b"MZ\x90\0", "x.pdf"), (b"no", "x.gif")],
)
def test_the_content_says_what_a_file_is(quick: Talkers, data: bytes, name: str) -> None:
    refused(quick.sends(data, name), 415, "file-kind", "Send a JPEG, PNG, GIF or WebP picture")
    assert not Message.objects.exists()
    assert not storage().exists("line") or storage().listdir("line") == ([], [])


def test_a_form_with_other_fields_is_refused_and_keeps_nothing(quick: Talkers) -> None:
    refused(quick.sends(sender="agent"), 422, "malformed", "The form has an unknown field.")
    refused(quick.sends(other=SimpleUploadedFile("a", b"a")), 422, "malformed", "unknown field")
    assert not Attachment.objects.exists()


def test_broken_and_too_large_files_are_refused_in_plain_words(
    quick: Talkers, line: LineWorld
) -> None:
    refused(quick.sends(pictures.png()[:-9]), 415, "file-kind", "damaged or incomplete")
    refused(quick.sends(pictures.huge_png(40_000)), 413, "file-too-large", "50 million pixels")
    Desk.objects.update(attachment_mb=1)
    much = pictures.png(4, 3, pictures.chunk(b"tEXt", bytes(1_040_000)))
    refused(quick.sends(much + bytes(20_000)), 413, "file-too-large", "The limit is 1 MB")
    refused(quick.sends(much + bytes(200_000)), 413, "file-too-large", "The limit is 1 MB")
    assert quick.sends(much).status_code == 200


def test_a_desk_takes_what_its_settings_say(quick: Talkers) -> None:
    Desk.objects.update(attachment_kinds="images")
    refused(quick.agent_sends(), 415, "file-kind", "WebP picture.")
    Desk.objects.update(attachment_kinds="pdf")
    refused(quick.sends(), 415, "file-kind", "Send a PDF.")
    assert quick.agent_sends().status_code == 200
    Attachment.objects.all().delete()
    Desk.objects.update(attachment_mb=0)
    refused(quick.sends(), 409, "no-files", "Files can't be sent here.")
    page = quick.agent.get("/agent/").content.decode()
    assert '"files": null' in page


def test_each_side_has_a_limit_per_visit_and_all_visitors_one_per_day(
    quick: Talkers, line: LineWorld
) -> None:
    Desk.objects.update(attachments_per_visit=2)
    assert [quick.sends(id=key).status_code for key in ("1", "2", "1", "3")] == [200, 200, 200, 409]
    assert "You can send up to 2 files" in quick.sends(id="3").json()["detail"]
    assert quick.agent_sends().status_code == 200
    Desk.objects.update(attachments_per_visit=50, attachment_day_mb=1)
    Attachment.objects.filter(author="visitor").update(size=512 * 1024)
    full = quick.sends(id="4")
    assert (full.status_code, full.json()["type"]) == (409, "too-many-files")
    assert "daily limit for files" in full.json()["detail"]
    assert quick.agent_sends(id="a2").status_code == 200
    Attachment.objects.update(size=1)
    assert quick.sends(id="4").status_code == 200


def test_uploads_of_one_address_are_counted(
    quick: Talkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "PER_MINUTE", 2)
    caller = Caller(quick.token, address="10.9.9.9")
    said = [quick.sends(id=str(n), by=caller) for n in range(3)]
    assert [answer.status_code for answer in said] == [200, 200, 429]
    assert said[2].json()["type"] == "too-many-requests"
    assert quick.sends(id="9").status_code == 200


def test_the_same_id_again_is_the_same_message_and_file(quick: Talkers) -> None:
    first = quick.sends().json()
    assert quick.sends(pictures.PDF, "other.pdf").json() == first
    assert quick.sends(b"nonsense").json() == first
    assert Attachment.objects.count() == Message.objects.count() == 1
    assert quick.sends(id="").status_code == 422
    assert quick.sends(id="x" * 41).status_code == 422


def test_a_foreign_visit_and_a_foreign_room_take_no_files(quick: Talkers, line: LineWorld) -> None:
    other, _ = joins(line, name="Bo", address="10.1.0.2")
    assert quick.sends(by=other).json()["type"] == "unknown-visit"
    assert quick.sends(by=Caller()).status_code == 401
    foreign = agent_of(line, "wu")
    assert quick.agent_sends(by=foreign).json()["type"] == "not-yours"
    assert quick.agent_sends(by=logged_in(User.objects.get(username="wu"))).status_code == 409
    assert other.get(f"visits/{quick.key}/attachments").status_code == 404
    assert not Attachment.objects.exists()
    quick.ends()
    assert quick.sends().json()["type"] == "visit-ended"
    assert not Attachment.objects.exists()


@pytest.fixture
def world() -> World:
    return make_world()


def test_an_address_is_for_one_reader_who_may_still_read_it(
    quick: Talkers, line: LineWorld, world: World
) -> None:
    assert quick.sends().status_code == 200
    wu = agent_of(line, "wu")
    [of_visitor] = quick.addresses(quick.visitor)
    [of_li] = quick.addresses(quick.agent)
    assert Client().get(of_visitor).status_code == 200
    assert [client.get(of_li).status_code for client in (Client(), wu, quick.agent)] == [
        404,
        404,
        200,
    ]
    boss = world.users["roleless"]
    membership_set(user=boss, account=line.account, roles=["supervisor"], actor="test")
    [of_boss] = quick.addresses(logged_in(boss))
    assert logged_in(boss).get(of_boss).status_code == 200
    assert quick.agent.get(of_boss).status_code == 404
    assert wu.get(f"/api/v1/visits/{quick.key}/attachments").status_code == 403
    assert wu.get(address_for(f"user:{User.objects.get(username='wu').pk}")).status_code == 404
    quick.ends()
    assert quick.agent.get(of_li).status_code == 404  # like the transcript
    assert logged_in(boss).get(of_boss).status_code == 200


def test_a_machine_reads_with_its_token(quick: Talkers, line: LineWorld) -> None:
    assert quick.sends().status_code == 200
    given = {"account": line.account, "resources": ["desk:support"], "actor": "test"}
    _, secret = token_create(name="acd", actions=["line.visit", "line.serve"], **given)
    _, other = token_create(name="other", actions=["line.visit"], **given)
    [url] = quick.addresses(Caller(secret))
    said = [
        Client().get(url, headers={"Authorization": f"Bearer {each}"}).status_code
        for each in (secret, other)
    ]
    assert said == [200, 404]
    assert Client().get(url).status_code == 404


def test_an_address_that_is_over_or_changed_opens_nothing(
    quick: Talkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quick.sends().status_code == 200
    [url] = quick.addresses(quick.visitor)
    assert url in quick.addresses(quick.visitor)  # the same for a while: browsers cache it
    changed = url.replace("/files/", "/files/x")
    for bad in (changed, url[:-3] + "/", "/line/files/x/", "/line/files/%2e%2e%2fsecret/"):
        assert Client().get(bad).status_code == 404
    assert Client().get(address_for(f"visitor:{quick.key}", 1_000_000)).status_code == 404
    assert Client().get(address_for("visitor:somebody")).status_code == 404
    assert Client().post(url).status_code == 405
    storage().delete(Attachment.objects.get().file)
    assert Client().get(url).status_code == 404


def test_the_story_shows_files_and_the_settings_are_audited(
    quick: Talkers, line: LineWorld, world: World
) -> None:
    quick.sends(text="Look")
    quick.agent_sends()
    boss = world.users["roleless"]
    membership_set(user=boss, account=line.account, roles=["owner"], actor="test")
    client = logged_in(boss)
    page = client.get(f"/desks/support/visits/{quick.key}/").content.decode()
    for url in quick.addresses(client):
        assert f'href="{url}"' in page
    assert "bill.pdf" in page
    before = {
        "name": "Support",
        "transcript_days": "396 d",
        "log_limit": "1000000",
        "callback_pool": "",
        "attachment_mb": "26",
        "attachment_kinds": "all",
        "attachments_per_visit": "20",
        "attachment_day_mb": "2000",
    }
    assert client.post("/desks/support/settings/", before).status_code == 422
    good = {**before, "attachment_mb": "5"}
    assert client.post("/desks/support/settings/", good).status_code == 302
    entry = AuditEntry.objects.get(action="line.desk_configure")
    assert (entry.before, entry.after) == ({"attachment_mb": 10}, {"attachment_mb": 5})


def test_files_on_disk_are_for_the_service_alone(line: LineWorld, tmp_path: Path) -> None:
    with on_disk(tmp_path):
        talk = Talkers(line)
        talk.sends(name="../../../../evil.png")
    [file] = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert file.relative_to(tmp_path).as_posix() == Attachment.objects.get().file
    assert "evil" not in str(file)
    assert acts(talk.agent, "beat").status_code == 200
