"""Visitors' options: language, first messages, mails, codes; limited, and forgotten."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.services import token_create
from queueing.line import desk as commands
from queueing.line.models import LeftMessage, Message, Rating, Visit, VisitCode, VisitMail
from queueing.line.services import codes, erasing, visitor_mails
from tests.line.line_world import LineWorld, make_line
from tests.line.test_api import Caller, joins

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
MAIL = "ann@example.org"


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


def turned() -> None:
    """Run both sweeps once, with everything that waits being due."""
    VisitMail.objects.filter(state="waiting").update(look_at=timezone.now())
    visitor_mails.look_for_turns(0, 1)
    visitor_mails.send_due()


def silent(line: LineWorld, visit: str, seconds: int) -> str:
    """Let the visitor be silent for `seconds`, as the desk's timers see it.

    Return the resulting state.
    """
    tag = commands.DeskKeys(line.desk.slug).tag
    hotpath.client().zincrby(f"{tag}:timers", -1000 * seconds, f"v{visit}")
    line.sweep()
    return hotpath.run(commands.place(line.desk.slug, visit)).answer


def test_the_page_speaks_the_chosen_language_by_address_and_by_cookie(line: LineWorld) -> None:
    client = Client()
    path = f"/q/{line.queue.slug}/"
    assert b'<html lang="en"' in client.get(path).content
    chosen = client.get(f"{path}?widget=1&lang=zh-hans")
    assert b'<html lang="zh-hans"' in chosen.content
    assert b'href="?widget=1&amp;lang=en"' in chosen.content
    assert chosen.cookies["django_language"]["path"] == "/q/"
    assert b'<html lang="zh-hans"' in client.get(path).content
    for unknown in ("xx", "zh-hans%00", "x" * 3000):
        assert "django_language" not in client.get(f"{path}?lang={unknown}").cookies
    assert b'<html lang="en"' in Client().get(f"{path}?lang=de").content


def test_a_visit_has_the_language_of_its_page(line: LineWorld) -> None:
    visitor, joined = joins(line, name="Ann", language="zh-hans")
    visit = joined["visit"]
    assert Visit.objects.get(public_id=visit).language == "zh-hans"
    path = f"visits/{visit}/language"
    assert visitor.post(path, language="en").json() == {"language": "en"}
    assert visitor.post(path, language="tlh").json() == {"language": "en"}
    assert visitor.post(path, language="x" * 11).status_code == 422
    assert joins(line, language="tlh")[1]["answer"] == "waiting"


def test_words_before_the_match_are_bounded_and_stay_first(line: LineWorld) -> None:
    visitor, joined = joins(line, name="Ann")
    path = f"visits/{joined['visit']}/messages"
    for number in range(20):
        assert visitor.post(path, id=f"m{number}", text=f"Word {number}").status_code == 200
    assert visitor.post(path, id="m3", text="Word 3").json()["number"] == 4  # the same message
    over = visitor.post(path, id="m20", text="Word 20")
    assert (over.status_code, over.json()["type"]) == (422, "malformed")
    line.agent("li", online=True)  # matched in between, and SQL does not have it yet
    assert Visit.objects.get(public_id=joined["visit"]).matched_at is None
    assert visitor.post(path, id="m20", text="Word 20").json()["number"] == 21
    said = visitor.get(path).json()["messages"]
    assert [each["text"] for each in said] == [f"Word {number}" for number in range(21)]


def test_the_mail_comes_once_when_the_turn_is_as_near_as_was_asked(line: LineWorld) -> None:
    ahead = [joins(line) for _ in range(3)]
    visitor, joined = joins(line, name="Ann", language="zh-hans")
    path = f"visits/{joined['visit']}/tell"
    told = visitor.post(path, when="third", email=MAIL, zone="Asia/Shanghai").json()
    assert told == {"when": "third", "state": "waiting"} == visitor.get(path).json()
    turned()
    assert mail.outbox == []
    first, visit = ahead[0]
    first.post(f"visits/{visit['visit']}/leave")
    turned()
    turned()
    (sent,) = mail.outbox
    assert sent.to == [MAIL]
    assert "Support" in sent.subject
    assert f"/q/{line.queue.slug}/?lang=zh-hans#v={joined['visit']}&t=psv_" in sent.body
    assert visitor.get(path).json() == {"when": "third", "state": "sent"}
    assert VisitMail.objects.get().address == ""  # it is not stored
    again = visitor.post(path, when="next", email="bo@example.org")
    assert again.json()["type"] == "mail-sent"
    token = sent.body.split("&t=")[1].split("&")[0].replace("%3A", ":")
    assert Caller(token).get(f"visits/{joined['visit']}").json()["ahead"] == 2


def test_who_waits_for_the_mail_keeps_the_place_with_the_page_closed(line: LineWorld) -> None:
    before, other = joins(line)
    visitor, joined = joins(line)
    visitor.post(f"visits/{joined['visit']}/tell", when="turn", email=MAIL)
    assert silent(line, joined["visit"], 20) == "away"
    turned()
    assert silent(line, joined["visit"], 100) == "away"  # the grace of 60 s ended long ago
    turned()
    before.post(f"visits/{other['visit']}/leave")
    turned()  # at the head; away visitors are matched with no one, so this is the moment
    assert len(mail.outbox) == 1
    assert silent(line, joined["visit"], 250) == "away"
    assert silent(line, joined["visit"], 60) == "ended"  # the mail's five minutes have passed
    _, nobody = joins(line)
    assert silent(line, nobody["visit"], 20) == "away"
    assert silent(line, nobody["visit"], 50) == "ended"  # a visitor who has requested nothing


def test_a_mail_server_that_is_away_and_a_sender_that_died_cost_no_mail(
    line: LineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, joined = joins(line)
    visitor.post(f"visits/{joined['visit']}/tell", when="next", email=MAIL)
    monkeypatch.setattr(EmailBackend, "send_messages", _refuse)
    turned()
    row = VisitMail.objects.get()
    assert (row.state, row.attempts, row.address) == ("due", 1, MAIL)
    monkeypatch.undo()
    assert visitor_mails.send_due()["sent"] == 0  # not before its time
    VisitMail.objects.update(look_at=timezone.now())
    assert visitor_mails._claim(VisitMail.objects.get())  # by a process that died with it
    visitor_mails.send_due()
    assert mail.outbox == []
    VisitMail.objects.update(look_at=timezone.now())  # its time has passed
    visitor_mails.send_due()
    visitor_mails.send_due()
    assert len(mail.outbox) == 1


def _refuse(*_given: Any) -> int:
    raise OSError("no mail server")


def test_who_has_ended_or_thought_better_of_it_is_not_mailed(line: LineWorld) -> None:
    for last in ("leave", "off"):
        joins(line)
        visitor, joined = joins(line)
        path = f"visits/{joined['visit']}"
        visitor.post(f"{path}/tell", when="next", email=MAIL)
        if last == "leave":
            visitor.post(f"{path}/leave")
        else:
            off = visitor.post(f"{path}/tell", when="off")
            assert off.json() == {"when": "off", "state": "off"}
        turned()
    assert mail.outbox == []
    assert list(VisitMail.objects.values_list("state", "address")) == [("over", "")]


def test_the_transcript_is_mailed_without_notes_in_the_visitors_zone(line: LineWorld) -> None:
    line.agent("li", online=True)
    visitor, joined = joins(line, name="Ann")
    path = f"visits/{joined['visit']}"
    visitor.post(f"{path}/messages", id="1", text="A <b>crack</b>")
    row = Visit.objects.get(public_id=joined["visit"])
    at = timezone.now().replace(hour=20, minute=5)
    Message.objects.create(visit=row, number=2, author="note", client_id="n", text="Rude", at=at)
    Message.objects.create(visit=row, number=3, author="agent", client_id="a", text="Yes", at=at)
    asked = {"email": MAIL, "zone": "Asia/Shanghai"}
    assert visitor.post(f"{path}/transcript-mail", **asked).json() == {"answer": "kept"}
    visitor.post(f"{path}/transcript-mail", **asked)  # a second click
    visitor_mails.send_due()
    (sent,) = mail.outbox
    assert "A <b>crack</b>" in sent.body
    assert "04:05  You" in sent.body or "04:05  Ann" in sent.body
    assert "Rude" not in str(sent.message())
    page = sent.alternatives[0].content
    assert "A &lt;b&gt;crack&lt;/b&gt;" in page
    for _ in range(2):
        visitor.post(f"{path}/transcript-mail", **asked)
        visitor_mails.send_due()
    assert visitor.post(f"{path}/transcript-mail", **asked).json()["type"] == "mail-sent"
    assert len(mail.outbox) == 3


def test_nobody_is_flooded_with_mails(line: LineWorld) -> None:
    visitor, joined = joins(line)
    path = f"visits/{joined['visit']}"
    refused = visitor.post(f"{path}/transcript-mail", email=MAIL)
    assert refused.json()["type"] == "no-transcript"  # texts without an answer are not sent
    for wrong in ("", "ann", "a@b", "a@example.org\nBcc: b@example.org", f"{'a' * 260}@b.org"):
        assert visitor.post(f"{path}/tell", when="next", email=wrong).status_code == 422
    zone = visitor.post(f"{path}/tell", when="next", email=MAIL, zone="Mars/Olympus")
    assert zone.status_code == 422
    for number in range(8):
        other, its = joins(line, address=f"10.1.{number}.1")
        answer = other.post(f"visits/{its['visit']}/tell", when="third", email=MAIL.upper())
        assert (answer.status_code == 429) == (number >= visitor_mails.PER_ADDRESS)
    assert VisitMail.objects.count() == visitor_mails.PER_ADDRESS


def test_a_code_brings_the_visit_to_another_device_once(line: LineWorld) -> None:
    visitor, joined = joins(line, name="Ann")
    path, resume = f"visits/{joined['visit']}/code", f"queues/{line.queue.slug}/resume"
    old = visitor.post(path).json()["code"]
    made = visitor.post(path).json()
    assert (len(made["code"]), made["seconds"]) == (8, 600)
    assert made["code"] not in str(VisitCode.objects.values().get())
    other = Caller(address="10.9.0.1")
    assert other.post(resume, code=old).json()["type"] == "unknown-code"  # replaced
    typed = f" {made['code'][:4].lower()}-{made['code'][4:]} "
    found = other.post(resume, code=typed).json()
    assert (found["visit"], found["answer"], found["ahead"]) == (joined["visit"], "waiting", 0)
    moved = Caller(found["token"])
    beat = moved.post(f"visits/{joined['visit']}/beat", place=found["place"])
    assert beat.json()["answer"] == "waiting"
    assert visitor.get(f"visits/{joined['visit']}").status_code == 200  # both may stay open
    assert other.post(resume, code=typed).json()["type"] == "unknown-code"
    late = visitor.post(path).json()["code"]
    VisitCode.objects.update(expires_at=timezone.now())
    assert other.post(resume, code=late).json()["type"] == "unknown-code"
    strange = make_line("other")
    fresh = visitor.post(path).json()["code"]
    abroad = other.post(f"queues/{strange.queue.slug}/resume", code=fresh)
    assert abroad.json()["type"] == "unknown-code"


def test_guessing_codes_ends_soon(line: LineWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    resume = f"queues/{line.queue.slug}/resume"
    codes_tried = [Caller(address="10.9.0.1").post(resume, code="2" * 8) for _ in range(11)]
    assert [answer.status_code for answer in codes_tried] == [404] * 10 + [429]
    monkeypatch.setattr(codes, "TRIES_OF_DESK", 3)
    other = make_line("other")
    resume = f"queues/{other.queue.slug}/resume"
    spread = [Caller(address=f"10.8.{n}.1").post(resume, code="2" * 8) for n in range(4)]
    assert [answer.status_code for answer in spread] == [404] * 3 + [429]


def test_a_rating_may_be_changed_for_an_hour(line: LineWorld) -> None:
    line.agent("li", online=True)
    visitor, joined = joins(line)
    path = f"visits/{joined['visit']}/rating"
    assert visitor.get(path).json() == {"stars": 0, "comment": ""}
    visitor.post(path, stars=2, comment="Slow")
    assert visitor.post(path, stars=5, comment="Fine").status_code == 200
    assert visitor.get(path).json() == {"stars": 5, "comment": "Fine"}
    Rating.objects.update(at=timezone.now() - timedelta(hours=2))
    assert visitor.post(path, stars=1).json()["type"] == "rating-over"
    assert Rating.objects.get().stars == 5


def test_erasing_a_visit_takes_along_what_it_asked_for(line: LineWorld) -> None:
    visitor, joined = joins(line, name="Ann", language="zh-hans")
    path = f"visits/{joined['visit']}"
    visitor.post(f"{path}/tell", when="next", email=MAIL)
    visitor.post(f"{path}/code")
    left = {"name": "Ann", "contact": "138 0000 1111", "text": "Call me"}
    visitor.post(f"queues/{line.queue.slug}/left-messages", **left)
    assert LeftMessage.objects.get().visit == joined["visit"]
    visitor.post(f"{path}/leave")
    line.drain()
    erasing.visitor_erase(actor="test", desk=line.desk, reason="wish", visit=joined["visit"])
    assert not VisitMail.objects.exists()
    assert not VisitCode.objects.exists()
    assert not LeftMessage.objects.exists()
    assert Visit.objects.get().language == ""


def test_a_machine_shows_codes_of_its_own_tenant_only(line: LineWorld) -> None:
    visitor, joined = joins(line)
    code = visitor.post(f"visits/{joined['visit']}/code").json()["code"]
    resume = f"queues/{line.queue.slug}/resume"
    other = make_line("other")
    for account, status in ((other.account, 404), (line.account, 200)):
        _, secret = token_create(name="acd", account=account, resources=["*"], actor="test")
        assert Caller(secret).post(resume, code=code).status_code == status
