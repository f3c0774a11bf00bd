"""A visitor signed by the customer's own system: let in, recognised, and only once."""

import base64
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client

from poolsite import hotpath
from poolsite.access.models import AuditEntry
from poolsite.access.services import membership_set
from queueing.line import desk as commands
from queueing.line.models import IdentityKey, Queue, VerifiedVisitor, Visit
from queueing.line.selectors import consoles
from queueing.line.services import arrivals, desk_settings, erasing, identities
from queueing.line.services.desks import queue_create
from queueing.line.services.visits import visit_leave
from tests.access.world import make_world
from tests.line.identity_tokens import part, signature, token
from tests.line.line_world import LineWorld, make_line
from tests.line.test_api import Caller

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
# the languages of the document that this machine can run; Python always
PROGRAMS = [
    (language, program, suffix)
    for language, program, suffix in (
        ("python", [sys.executable], "py"),
        ("js", ["node"], "mjs"),
        ("go", ["go", "run"], "go"),
    )
    if shutil.which(program[0]) is not None
]
DOCUMENT = Path(__file__).parents[2] / "docs/reference/line/identity.md"


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


@pytest.fixture
def secret(line: LineWorld) -> str:
    return identities.key_new(actor="test", desk=line.desk)


def join(line: LineWorld, identity: str, status: int = 200, **body: Any) -> Any:
    path = f"queues/{body.pop('queue', line.queue.slug)}/join"
    answer = Caller(address=body.pop("address", "10.1.0.1")).post(path, identity=identity, **body)
    assert answer.status_code == status, answer.content
    return answer.json()


def test_a_token_gives_name_class_skills_and_queue_and_agents_see_it(
    line: LineWorld, secret: str
) -> None:
    gold = queue_create(actor="test", desk=line.desk, slug="gold", name="Gold")
    desk_settings.skill_create(actor="test", desk=line.desk, slug="gold", name="Gold")
    claims = {"name": "Ann Bell", "contact": "ann@example.org", "class": 2, "queue": "gold"}
    given = token(secret, **claims, skills={"gold": 1, "unknown": 3}, iat=int(time.time()), jti="1")
    found = join(line, given, name="Mallory", topic="bill")
    assert (found["queue"], found["priority"]) == ("gold", 2)
    row = Visit.objects.get()
    assert (row.name, row.contact, row.topic) == ("Ann Bell", "ann@example.org", "bill")
    assert (row.verified_subject, row.skills) == ("customer-7", {"gold": 1})
    agent = line.agent("li", gold, skills={"gold": 1})
    assert hotpath.run(commands.login(line.desk.slug, agent.user_id)).answer == "ok"
    slot = consoles.agent_out(agent)["slots"][0]
    assert (slot["visit"], slot["verified"]) == (found["visit"], True)


def test_whoever_has_a_better_class_is_served_first(line: LineWorld, secret: str) -> None:
    plain = join(line, "", name="Bo")
    vip = join(line, token(secret, **{"class": 1}), name="Ann")
    assert (plain["ahead"], vip["ahead"]) == (0, 0)
    assert Caller(plain["token"]).get(f"visits/{plain['visit']}").json()["ahead"] == 1


def test_the_same_person_has_one_visit_and_the_same_token_joins_again(
    line: LineWorld, secret: str
) -> None:
    other = queue_create(actor="test", desk=line.desk, slug="other", name="Other")
    given = token(secret)
    first = join(line, given, name="Ann")
    for again in (given, token(secret, exp=time.time() + 600, queue=other.slug)):
        found = join(line, again, name="Else", queue="other", address="10.9.9.9")
        assert (found["visit"], found["ticket"]) == (first["visit"], first["ticket"])
        assert Caller(found["token"]).get(f"visits/{found['visit']}").status_code == 200
    assert Visit.objects.get().name == "Ann"
    assert join(line, token(secret, sub="customer-8"))["visit"] != first["visit"]
    for drained in (False, True):  # whether or not SQL has the end
        visit_leave(desk=line.desk, visit=first["visit"])
        if drained:
            line.drain()
        following = join(line, given)
        assert following["visit"] != first["visit"]
        first = following


def test_two_joins_of_one_person_at_once_are_one_visit(line: LineWorld, secret: str) -> None:
    begin = threading.Barrier(4)
    found: list[str] = []

    def come() -> None:
        try:
            begin.wait(30)
            coming = arrivals.Arriving(identity=token(secret))
            joined = arrivals.visitor_arrive(queue=line.queue, coming=coming)
            found.append(joined.visit.public_id)
        finally:
            connection.close()

    threads = [threading.Thread(target=come) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 4
    assert len(set(found)) == 1
    figures = hotpath.run(commands.show(line.desk.slug))
    assert figures is not None
    assert figures.queues[line.queue.pk].waiting == 1


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"exp": 1_000}, "expired"),
        ({"exp": None}, "exp"),
        ({"exp": True}, "exp"),
        ({"exp": 9e12}, "too long"),
        ({"exp": float("nan")}, "cannot be read"),
        ({"iat": 9e12}, "not yet"),
        ({"sub": ""}, "sub"),
        ({"sub": 7}, "sub"),
        ({"sub": "x" * 121}, "sub"),
        ({"class": 0}, "class"),
        ({"class": "1"}, "class"),
        ({"skills": ["gold"]}, "skills"),
        ({"skills": {"gold": 12}}, "skills"),
        ({"skills": {"a:1,b": 1}}, "skills"),
        ({"queue": "nowhere"}, "queue"),
        ({"aud": "another-desk"}, "another desk"),
        ({"alg": "none"}, "HS256"),
        ({"alg": "HS512"}, "HS256"),
    ],
)
def test_a_token_that_says_too_much_or_too_little_is_refused(
    line: LineWorld, secret: str, claims: dict[str, Any], said: str
) -> None:
    problem = join(line, token(secret, **claims), 403)
    assert problem["type"] == "bad-token"
    assert said in problem["detail"]
    assert not Visit.objects.exists()
    assert not VerifiedVisitor.objects.exists()


def test_what_is_not_signed_with_a_secret_of_this_desk_is_refused(
    line: LineWorld, secret: str
) -> None:
    foreign = make_line("foreign")
    theirs = identities.key_new(actor="test", desk=foreign.desk)
    good = token(secret)
    head, body, tail = good.split(".")
    other = part({"sub": "admin", "exp": time.time() + 60})
    forged = [
        *(f"{head}.{other}.{tail}", f"{head}.{body}.", f"{head}.{body}", "a.b.c", "x"),
        *(f"{head}.{body}.{tail}=", good[:-1], good + "é", token(theirs), token("")),
        f"{part({'alg': 'none'})}.{body}.",
    ]
    for wrong in forged:
        assert "not signed" in join(line, wrong, 403)["detail"], wrong
    for unread in ("[" * 700, "1", '{"a":'):
        text = base64.urlsafe_b64encode(unread.encode()).rstrip(b"=").decode()
        signed = f"{text}.{text}"
        problem = join(line, f"{signed}.{signature(secret, signed)}", 403)
        assert problem["detail"] == "The token cannot be read."
    assert join(line, "x" * 2_049, 422)["type"] == "malformed"
    assert join(line, good)["answer"] == "waiting"


def test_two_secrets_hold_at_once_and_a_revoked_one_no_more(line: LineWorld, secret: str) -> None:
    second = identities.key_new(actor="test", desk=line.desk)
    with pytest.raises(ValidationError):
        identities.key_new(actor="test", desk=line.desk)
    assert join(line, token(secret))["visit"] == join(line, token(second))["visit"]
    identities.key_revoke(actor="test", key=IdentityKey.objects.get(secret=secret))
    assert "not signed" in join(line, token(secret), 403)["detail"]
    assert join(line, token(second))["answer"] == "waiting"
    log = AuditEntry.objects.filter(action__startswith="line.identity_key")
    assert [entry.action for entry in log.order_by("pk")] == [
        *("line.identity_key_new", "line.identity_key_new", "line.identity_key_revoke")
    ]
    assert not any(secret in str(entry.before) + str(entry.after) for entry in log)


def test_an_erased_visitor_leaves_no_name_and_comes_as_somebody_new(
    line: LineWorld, secret: str
) -> None:
    first = join(line, token(secret, contact="ann@example.org"))
    visit_leave(desk=line.desk, visit=first["visit"])
    line.drain()
    erasing.visitor_erase(actor="test", desk=line.desk, reason="asked", contact="ann@example.org")
    assert Visit.objects.get().verified_subject == ""
    assert not VerifiedVisitor.objects.exists()
    assert join(line, token(secret))["visit"] != first["visit"]


def test_a_refused_join_keeps_no_place(line: LineWorld, secret: str) -> None:
    Queue.objects.filter(pk=line.queue.pk).update(is_open=False)
    assert join(line, token(secret), 409)["type"] == "queue-closed"
    Queue.objects.filter(pk=line.queue.pk).update(is_open=True)
    assert join(line, token(secret))["answer"] == "waiting"


def test_a_secret_is_made_shown_once_and_revoked_on_the_page(line: LineWorld) -> None:
    world = make_world()
    membership_set(user=world.users["foreign"], account=line.account, roles=["owner"], actor="test")
    client: Client = world.client("foreign")
    act = "/desks/support/routing/act/"
    shown = client.post(act, {"verb": "key"})
    key = IdentityKey.objects.get()
    assert key.secret in shown.content.decode()
    assert "no-store" in shown["Cache-Control"]
    page = client.get("/desks/support/routing/").content.decode()
    assert key.secret not in page
    assert key.print in page
    foreign = identities.key_new(actor="test", desk=make_line("foreign").desk)
    client.post(act, {"verb": "key_revoke", "id": str(IdentityKey.objects.get(secret=foreign).pk)})
    assert IdentityKey.objects.get(secret=foreign).revoked_at is None
    client.post(act, {"verb": "key_revoke", "id": str(key.pk)})
    assert IdentityKey.objects.get(pk=key.pk).revoked_at is not None


@pytest.mark.processes
@pytest.mark.parametrize(("language", "program", "suffix"), PROGRAMS)
def test_the_documented_code_makes_a_token_that_is_taken(
    line: LineWorld, secret: str, tmp_path: Path, language: str, program: list[str], suffix: str
) -> None:
    text = DOCUMENT.read_text("utf-8")
    code = text.split(f"```{language}\n", 1)[1].split("```", 1)[0]
    file = tmp_path / f"sign.{suffix}"
    file.write_text(code, "utf-8")
    ran = subprocess.run(
        [*program, str(file)],
        env={"LINE_SECRET": secret, "PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = join(line, ran.stdout.strip())
    row = Visit.objects.get(public_id=found["visit"])
    assert (row.verified_subject, row.name, row.priority) == ("customer-7", "Ann Bell", 2)
