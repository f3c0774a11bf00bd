"""Who may open the API about people, and the pages of jobs: rows of tests/access/url_rules.py.

The API covers people, tokens, the audit log, incidents, tags and notes. Operations with a body
refuse an empty one before they check rights: `API_WRITES`. Those rights are in
tests/access/test_people_api.py and tests/operations/test_incidents_api.py.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from numbers.models import Pool
from poolsite.access import audit, services
from poolsite.access.models import FinanceRequest
from poolsite.jobs.models import Job
from poolsite.operations import incidents, saved_views
from poolsite.operations.models import Note, NoticeTarget
from tests.access.world import World

if TYPE_CHECKING:
    from tests.access.url_rules import Rule

API_WRITES = {"nobody": "login", "*": "ok"}
MANAGERS_OWN = {
    "nobody": "login",
    **dict.fromkeys(("owner", "admin", "foreign", "operators"), "ok"),
    "*": "no",
}
MANAGERS_SEE = {**MANAGERS_OWN, "foreign": "hidden"}
MANAGERS_CHANGE = {**MANAGERS_SEE, "operators": "no", "operate": "ok"}
OPERATORS = {"nobody": "login", "operators": "ok", "*": "no"}
WITH_OPERATE = {"nobody": "login", "operate": "ok", "*": "no"}
POOL_SEEN = {
    "nobody": "login",
    **dict.fromkeys(("owner", "admin", "supervisor", "operators"), "ok"),
    **dict.fromkeys(("foreign", "roleless"), "hidden"),
    "*": "no",
}
POOL_CHANGED = {**POOL_SEEN, **dict.fromkeys(("owner", "admin", "supervisor"), "no")}
POOL_CHANGED |= {"operators": "no", "operate": "ok"}

Url = Callable[[World], str]


def _invitation(template: str, *, of_account: bool) -> Url:
    def make(world: World) -> str:
        given: dict[str, Any] = {"account": world.own, "role": "agent"} if of_account else {}
        made, _ = services.invitation_create(email="new@example.com", actor="test", **given)
        return template % made.pk

    return make


def _finance(world: World) -> str:
    people = {"user": world.users["looker"], "asked_by": world.users["operate"]}
    made, _ = FinanceRequest.objects.get_or_create(**people)
    return f"/api/v1/people/finance-requests/{made.pk}"


def _token(world: World) -> str:
    ends = timezone.now() + timedelta(days=1)
    token, _ = services.token_create(
        name="switch", account=world.own, resources=["*"], expires_at=ends, actor="test"
    )
    return f"/api/v1/tokens/{token.pk}"


def _entry(part: str = "") -> Url:
    def make(world: World) -> str:
        pool = Pool.objects.get_or_create(slug="own-pool", account=world.own)[0]
        with transaction.atomic():
            entry = audit(
                actor="test",
                action="numbers.pool_configure",
                thing=pool,
                before={"name": "Before"},
                after={"name": pool.name},
            )
        return f"/api/v1/audit-log/{entry.pk}{part}"

    return make


def _incident(part: str = "") -> Url:
    def make(world: World) -> str:
        found = incidents.open(
            type="test.alarm", object="own", severity="warning", title="Test", account=world.own
        )
        return f"/api/v1/incidents/{found.pk}{part}"

    return make


def _saved_view(world: World) -> str:
    view = saved_views.save_view(user=world.users["owner"], path="/history/", name="V", query="")
    return f"/api/v1/saved-views/{view.pk}"


def _recipient(world: World) -> str:
    made = NoticeTarget.objects.create(account=world.own, address="ops@example.com")
    return f"/api/v1/alert-recipients/{made.pk}"


def _job(template: str) -> Url:
    def make(world: World) -> str:
        found = Job.objects.create(kind="test", prefix="tst", account=world.own)
        return template % (found.public_id if "api" in template else found.pk)

    return make


def _beside(part: str) -> Url:
    def make(world: World) -> str:
        Pool.objects.get_or_create(slug="own-pool", account=world.own)
        note = Note.objects.create(kind="pool", thing="own-pool", account=world.own, text="One")
        return f"/api/v1/objects/pool/own-pool/{part.replace('ID', str(note.pk))}"

    return make


def _user(verb: str, reader: str) -> Url:
    return lambda world: f"/api/v1/people/{verb.replace('ID', str(world.users[reader].pk))}"


def rows(rule: Any) -> Mapping[str, "Rule"]:
    """Return the rows. `rule` is the table's class."""
    people, account = "api/v1/people/", "api/v1/people/accounts/<slug>"
    own = "/api/v1/people/accounts/own"
    found = {
        f"{people}accounts": rule(MANAGERS_OWN),
        account: rule(MANAGERS_SEE, url=own),
        f"{account}/members": rule(MANAGERS_SEE, url=f"{own}/members"),
        f"{account}/members/<user>": rule(
            MANAGERS_CHANGE, url=_user("accounts/own/members/ID", "agent"), method="patch"
        ),
        f"{account}/members/<user>/remove": rule(
            # The first reader with the right removes the member; later ones find none.
            MANAGERS_CHANGE | {"admin": "hidden", "operate": "hidden"},
            url=_user("accounts/own/members/ID/remove", "payer"),
            method="post",
        ),
        f"{account}/invitations": rule(MANAGERS_SEE, url=f"{own}/invitations"),
        f"{account}/invitations/<invitation>/withdraw": rule(
            MANAGERS_CHANGE,
            url=_invitation(f"{own}/invitations/%s/withdraw", of_account=True),
            method="post",
        ),
        f"{people}operators": rule(OPERATORS),
        f"{people}operators/<user>": rule(
            API_WRITES, url=_user("operators/ID", "looker"), method="patch"
        ),
        f"{people}operator-invitations": rule(OPERATORS),
        f"{people}operator-invitations/<invitation>/withdraw": rule(
            WITH_OPERATE,
            url=_invitation("/api/v1/people/operator-invitations/%s/withdraw", of_account=False),
            method="post",
        ),
        f"{people}finance-requests": rule(OPERATORS),
        f"{people}finance-requests/<finance_request>": rule(OPERATORS, url=_finance),
        **{
            f"{people}finance-requests/<finance_request>/{verb}": rule(
                API_WRITES, url=lambda world, verb=verb: f"{_finance(world)}/{verb}", method="post"
            )
            for verb in ("approve", "reject")
        },
        **{
            f"{people}users/<user>/{verb}": rule(
                API_WRITES, url=_user(f"users/ID/{verb}", "looker"), method="post"
            )
            for verb in ("deactivate", "activate", "reset-factor")
        },
        "api/v1/tokens": rule(MANAGERS_OWN),
        "api/v1/tokens/<token>": rule(MANAGERS_SEE, url=_token),
        "api/v1/tokens/<token>/revoke": rule(
            API_WRITES, url=lambda world: f"{_token(world)}/revoke", method="post"
        ),
        "api/v1/profile": rule(API_WRITES),
        "api/v1/saved-views": rule(API_WRITES),
        "api/v1/saved-views/<view>": rule(
            {"nobody": "login", "owner": "ok", "*": "hidden"}, url=_saved_view, method="delete"
        ),
        "api/v1/audit-log": rule(MANAGERS_OWN),
        "api/v1/audit-log/<entry>": rule(MANAGERS_SEE, url=_entry()),
        "api/v1/audit-log/<entry>/undo": rule(
            MANAGERS_CHANGE | {"owner": "no", "admin": "no"}, url=_entry("/undo"), method="post"
        ),
        "api/v1/alert-recipients": rule(MANAGERS_OWN),
        "api/v1/alert-recipients/<recipient>": rule(MANAGERS_SEE, url=_recipient),
        "api/v1/incidents": rule(MANAGERS_OWN),
        "api/v1/incidents/<incident>": rule(MANAGERS_SEE, url=_incident()),
        **{
            f"api/v1/incidents/<incident>/{verb}": rule(
                MANAGERS_CHANGE, url=_incident(f"/{verb}"), method="post"
            )
            for verb in ("acknowledge", "end-snooze")
        },
        **{
            f"api/v1/incidents/<incident>/{verb}": rule(
                API_WRITES, url=_incident(f"/{verb}"), method="post"
            )
            for verb in ("assign", "snooze", "notes", "resolve")
        },
    }
    roleless = {"roleless": "hidden"}
    found |= {
        "jobs/<int:job_id>/": rule(MANAGERS_SEE | roleless, url=_job("/jobs/%s/")),
        "jobs/<int:job_id>/cancel/": rule(
            MANAGERS_CHANGE | roleless, url=_job("/jobs/%s/cancel/"), method="post"
        ),
        "api/v1/jobs": rule(API_WRITES),
        "api/v1/jobs/<job>": rule(MANAGERS_SEE | roleless, url=_job("/api/v1/jobs/%s")),
        "api/v1/jobs/<job>/cancel": rule(
            API_WRITES, url=_job("/api/v1/jobs/%s/cancel"), method="post"
        ),
    }
    one = "api/v1/objects/<kind>/<slug>/"
    return found | {
        f"{one}tags": rule(POOL_SEEN, url=_beside("tags")),
        f"{one}notes": rule(POOL_SEEN, url=_beside("notes")),
        f"{one}notes/<note>/remove": rule(
            POOL_CHANGED, url=_beside("notes/ID/remove"), method="post"
        ),
    }
