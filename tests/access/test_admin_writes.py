"""Writes through the admin: who may make them, that services make them, with an audit entry."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.db.models import Model
from django.db.models.signals import post_delete, post_save
from django.test import Client

from poolsite.access import services
from poolsite.access.models import Account, AuditEntry, User
from poolsite.access.rights.cache import CACHE
from poolsite.operations.models import NoticeTarget
from queueing.line.models import Agent, Queue
from queueing.line.services.desks import desk_create
from tests.access import admin_rules as rules
from tests.access.admin_rows import make_rows
from tests.access.test_admin_walk import Rows, address, asked
from tests.access.world import World

pytestmark = [pytest.mark.prove, pytest.mark.background]

# Values that a form needs in addition to its defaults. The page provides the rest.
GIVEN: dict[str, dict[str, Any]] = {
    "access.Account": {"slug": "fresh", "name": "Fresh"},
    "operations.NoticeTarget": {"address": "ops@example.org"},
    "numbers.Pool": {"slug": "fresh", "name": "Fresh"},
    "numbers.Number": {"value": "+8613900000009", "label": "Fresh"},
    "line.Desk": {"slug": "fresh", "name": "Fresh"},
    "line.Queue": {"slug": "fresh", "name": "Fresh"},
    "line.Agent": {"name": "Fresh"},
    "admission.Gate": {"slug": "fresh", "name": "Fresh", "key": "fresh"},
    "dispatch.Group": {"slug": "fresh", "name": "Fresh"},
}
CHANGED: dict[str, dict[str, Any]] = {
    **{label: {"name": "Changed"} for label in GIVEN if "name" in GIVEN[label]},
    "operations.NoticeTarget": {"address": "other@example.org"},
    "numbers.Number": {"label": "Changed"},
}
BY_DJANGO = (AuditEntry, LogEntry, Session)


@pytest.fixture
def world(db: None, world_of_file: World) -> World:
    CACHE.drop("", "")
    return world_of_file


@pytest.fixture(scope="module")
def rows(world_of_file: World) -> Rows:
    return make_rows(world_of_file)


@pytest.fixture(scope="module")
def clients(world_of_file: World, rows: Rows) -> dict[str, Client]:
    return rules.clients(world_of_file)


@contextmanager
def written() -> Iterator[set[str]]:
    """Yield the models whose rows are saved or deleted in the block, except those Django writes."""
    models: set[str] = set()

    def note(sender: type[Model], instance: Model, **_: Any) -> None:
        if sender not in BY_DJANGO and not isinstance(instance, User):
            models.add(sender._meta.label)

    post_save.connect(note)
    post_delete.connect(note)
    try:
        yield models
    finally:
        post_save.disconnect(note)
        post_delete.disconnect(note)


def form_of(client: Client, url: str, **values: Any) -> dict[str, Any]:
    """Return what a browser would send from this page, with some fields filled in."""
    form = client.get(url).context["adminform"].form
    sent = {}
    for name, field in form.fields.items():
        value = values.get(name, form[name].value())
        if hasattr(field, "queryset") and value in (None, "") and field.required:
            value = field.queryset.first().pk
        if value is not None and value is not False:
            sent[name] = getattr(value, "pk", value)
    return {**sent, **{name: value for name, value in values.items() if name in form.fields}}


def send(client: Client, url: str, form: dict[str, Any]) -> None:
    """Post a form that must be accepted."""
    response = client.post(url, form)
    errors = response.context["adminform"].form.errors if response.status_code == 200 else ""
    assert response.status_code == 302, f"{url}: {errors or response.status_code}"


def models_where(right: str) -> list[type[Model]]:
    found = admin.site._registry
    return [model for model in found if getattr(rules.RIGHTS[model._meta.label], right)]


admin.autodiscover()


@pytest.mark.parametrize("model", models_where("add"), ids=lambda model: model._meta.label)
def test_what_is_added_changed_and_deleted_has_an_audit_entry_each_time(
    model: type[Model], world: World, rows: Rows, clients: dict[str, Client]
) -> None:
    client, label = clients["operate"], model._meta.label
    entries, before = (
        AuditEntry.objects.filter(actor_name="operate"),
        model._default_manager.count(),
    )
    url = address(model, "add")
    send(client, url, form_of(client, url, **GIVEN[label]))
    assert model._default_manager.count() == before + 1
    assert entries.count() == 1
    row = model._default_manager.order_by("-pk").first()
    assert row is not None
    url = address(model, "change", row.pk)
    send(client, url, form_of(client, url, **CHANGED[label]))
    assert entries.count() == 2
    [(name, value)] = CHANGED[label].items()
    row.refresh_from_db()
    assert getattr(row, name) == value
    if rules.RIGHTS[label].delete:
        send(client, address(model, "delete", row.pk), {"post": "yes"})
        assert entries.count() == 3
        assert not model._default_manager.filter(pk=row.pk).exists()


def test_a_switchs_kind_is_changed_with_an_audit_entry(
    world: World, rows: Rows, clients: dict[str, Client]
) -> None:
    [model] = [each for each in rows if each._meta.label == "numbers.Switch"]
    url = address(model, "change", rows[model].pk)
    kinds = clients["operate"].get(url).context["adminform"].form.fields["kind"].choices
    send(clients["operate"], url, form_of(clients["operate"], url, kind=kinds[-1][0]))
    assert AuditEntry.objects.get(actor_name="operate").action.startswith("numbers.switch")


Form = tuple[str, str, dict[str, Any]]


def forged(rows: Rows, *, changed_only: bool = False) -> Iterator[Form]:
    """Yield each form that can be sent to a model: the right it needs, its URL, its fields."""
    for model, its in admin.site._registry.items():
        if changed_only and rules.RIGHTS[model._meta.label] == rules.LOOKED_AT:
            continue
        pk = rows[model].pk
        names = {field.name: "1" for field in model._meta.concrete_fields}
        yield "add", address(model, "add"), names
        yield "change", address(model, "change", pk), names
        yield "delete", address(model, "delete", pk), {"post": "yes"}
        verbs = [each if isinstance(each, str) else each.__name__ for each in its.actions or ()]
        for verb in ("delete_selected", "nothing", *verbs):
            marked = {"action": verb, "_selected_action": [pk], "index": "0", "reason": "because"}
            yield "action", address(model, "changelist"), {**marked, "post": "yes"}


@pytest.mark.parametrize("who", ["looker", "finance", "supervise"])
def test_staff_without_the_right_write_nothing(
    who: str, world: World, rows: Rows, clients: dict[str, Client]
) -> None:
    wrong, entries = [], AuditEntry.objects.count()
    with written() as models:
        for right, url, form in forged(rows, changed_only=who != "looker"):
            # A list accepts the form of an action that it does not offer, and does nothing.
            wrong += asked(clients, [who], url, "ok" if right == "action" else "no", form)
    assert not wrong
    assert not models
    assert AuditEntry.objects.count() == entries


def test_a_grant_for_one_pool_lets_nobody_add_or_change_anything_else(
    world: World, rows: Rows, clients: dict[str, Client]
) -> None:
    """The forms are valid: the tests above show that an operator with the right may send them."""
    forms = [(right, url, form) for right, url, form in forged(rows, changed_only=True)]
    for model in models_where("add"):
        url = address(model, "add")
        form = form_of(clients["operate"], url, **GIVEN[model._meta.label])
        forms.append(("add", url, form))
    for model in models_where("change"):
        url = address(model, "change", rows[model].pk)
        forms.append(("change", url, form_of(clients["operate"], url)))
    entries = AuditEntry.objects.count()
    with written() as models:
        wrong = [
            line
            for _, url, form in forms
            for line in asked(clients, ["one thing"], url, "no ok", form)
        ]
    assert not wrong
    assert not models
    assert AuditEntry.objects.count() == entries


def test_people_outside_send_nothing(world: World, rows: Rows, clients: dict[str, Client]) -> None:
    forms = list(forged(rows, changed_only=True))
    with written() as models:
        wrong = [
            line
            for _, url, form in forms
            for line in asked(clients, rules.OUTSIDERS, url, "login", form)
        ]
    assert not wrong
    assert not models


def test_an_operator_writes_only_what_the_table_says(
    world: World, rows: Rows, clients: dict[str, Client]
) -> None:
    wrong = []
    with written() as models:
        for right, url, form in forged(rows):
            label = ".".join(url.split("/")[2:4])
            [its] = [found for name, found in rules.RIGHTS.items() if name.lower() == label]
            may_not = right != "action" and not getattr(its, right)
            may_not_act = right == "action" and not its.change
            if may_not or may_not_act:
                wrong += asked(clients, ["operate"], url, "no" if may_not else "ok", form)
    assert not wrong
    assert not models


def test_json_is_shown_as_text_and_changed_on_the_pages_of_the_object(
    world: World, rows: Rows, clients: dict[str, Client]
) -> None:
    queue, agent = Queue.objects.all()[0], Agent.objects.all()[0]
    Queue.objects.filter(pk=queue.pk).update(
        hours={"0": [["22:00", "24:00"]], "1": [["00:00", "06:00"]]}, topics=["Bill"]
    )
    Agent.objects.filter(pk=agent.pk).update(skills={"tax": 3})
    for row, shown in ((queue, "<dt>Monday</dt><dd>22:00-06:00</dd>"), (agent, "<dt>Tax</dt>")):
        url = f"/admin/line/{row._meta.model_name}/{row.pk}/change/"
        page = clients["operate"].get(url)
        assert shown in page.content.decode()
        assert not {"hours", "topics", "skills"} & {*page.context["adminform"].form.fields}
        form = form_of(clients["operate"], url, queues=[queue.pk])
        send(clients["operate"], url, {**form, "hours": "{}", "topics": "[]", "skills": "{}"})
    queue.refresh_from_db()
    agent.refresh_from_db()
    assert (len(queue.hours), queue.topics, agent.skills) == (2, ["Bill"], {"tax": 3})
    new = clients["operate"].get(address(Agent, "add"))
    assert "skills" not in new.context["adminform"].form.fields


def test_what_a_service_refuses_is_said_on_the_page(
    world: World, rows: Rows, clients: dict[str, Client]
) -> None:
    """Bad input is not a server error: the queue belongs to another desk."""
    other = desk_create(actor="test", slug="second", name="Second", account=world.other)
    form = form_of(clients["operate"], address(Agent, "add"), **GIVEN["line.Agent"])
    answer = clients["operate"].post(address(Agent, "add"), {**form, "desk": other.pk}, follow=True)
    assert answer.status_code == 200
    assert "An agent serves queues of its own desk only." in answer.content.decode()
    assert not Agent.objects.filter(desk=other).exists()


def test_a_bad_time_zone_of_an_account_is_said_on_the_page(
    world: World, clients: dict[str, Client]
) -> None:
    form = {"slug": "fresh", "name": "Fresh", "zone": "Moon/Sea", "currency": "CNY", "locale": "en"}
    answer = clients["operate"].post("/admin/access/account/add/", form, follow=True)
    assert (
        answer.status_code,
        "Unknown time zone. Use a name such as Asia/Shanghai." in answer.content.decode(),
    ) == (
        200,
        True,
    )
    assert not Account.objects.filter(slug="fresh").exists()


def test_a_member_of_an_account_who_is_an_operator_makes_targets_for_that_account_alone(
    world: World, clients: dict[str, Client]
) -> None:
    looker = User.objects.get(username="looker")
    services.membership_set(user=looker, account=world.own, roles=["owner"], actor="test")
    url = address(NoticeTarget, "add")
    for account, taken in ((world.own.pk, True), (world.other.pk, False), ("", False)):
        form = {"address": "ops@example.org", "account": account}
        status = clients["looker"].post(url, form).status_code
        assert status == (302 if taken else 403)
    assert NoticeTarget.objects.filter(address="ops@example.org").count() == 1
