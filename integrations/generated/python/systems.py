"""Numbers, the waiting line, a gate and the dispatcher, each from its creation to its use."""

from datetime import UTC, datetime, timedelta
from typing import Any

from connection import ACCOUNT, expect, new_token, token_client, wait_for
from poolsite_api import AuthenticatedClient, models
from poolsite_api.api.batches import get_batch, make_batch, report
from poolsite_api.api.desk_people import add_agent, list_candidates
from poolsite_api.api.desk_setup import create_desk, create_queue
from poolsite_api.api.gates import acquire, get_gate, make_gate, release, renew
from poolsite_api.api.groups import (
    change_group,
    list_instances,
    list_sessions,
    make_group,
    set_instance,
)
from poolsite_api.api.line import accept, finish, get_visit, join, login
from poolsite_api.api.numbers import list_calls, post_events, post_numbers, post_switch
from poolsite_api.api.pools import get_pool, post_pool


def drive_pool(person: AuthenticatedClient) -> None:
    """Create a pool with two numbers and a switch, and make a call."""
    slug = f"{ACCOUNT}-pool"
    settings = models.PoolIn(slug=slug, account=ACCOUNT, name="Outbound", cooldown_seconds=0)
    expect(models.PoolOut, post_pool.sync_detailed(client=person, body=settings))
    first = 13_800_000_000 if ACCOUNT.endswith("py") else 13_900_000_000
    numbers = [f"+86{first + place}" for place in range(2)]
    added = models.NumbersAddIn([models.NewNumber(number=number) for number in numbers])
    told = expect(
        models.NumbersAddedOut, post_numbers.sync_detailed(slug, client=person, body=added)
    )
    assert told.added == len(numbers), told
    made = expect(
        models.SwitchMadeOut,
        post_switch.sync_detailed(slug, client=person, body=models.SwitchIn(name="fs-01")),
    )
    switch = token_client(made.token)
    ready = [models.Event(models.EventEvent.REG, number=number) for number in numbers]
    answers = expect(list, post_events.sync_detailed(slug, client=switch, body=ready))
    assert [answer.status for answer in answers] == [200, 200], answers

    def send(event: models.EventEvent, **more: Any) -> models.Answer:
        body = models.Event(event, call_id="call-1", **more)
        return expect(models.Answer, post_events.sync_detailed(slug, client=switch, body=body))

    call = send(models.EventEvent.CALL, agent="1042", callee="+8613700000000")
    assert call.number in numbers, call
    ended = send(models.EventEvent.HANGUP, answered=True, talk_seconds=61)
    assert ended.number == call.number, ended
    seen = expect(models.PoolOut, get_pool.sync_detailed(slug, client=person))
    assert seen.numbers == len(numbers), seen

    def recorded() -> models.PoolCallOut | None:
        page = expect(
            models.PagePoolCallOut, list_calls.sync_detailed(slug, client=person, call_id="call-1")
        )
        return page.data[0] if page.data else None

    assert wait_for(recorded).number == call.number
    print(f"pool: {call.number} called")


def drive_line(person: AuthenticatedClient) -> None:
    """Create a desk with a queue that offers visits. An agent accepts a visit and ends it."""
    slug = f"{ACCOUNT}-desk"
    desk = models.DeskIn(slug=slug, name="Support", account=ACCOUNT)
    expect(models.DeskFullOut, create_desk.sync_detailed(client=person, body=desk))
    queue = models.DeskQueueIn(
        slug=f"{ACCOUNT}-queue",
        name="Orders",
        mode=models.DeskQueueInMode.OFFER,
        offer_seconds=120,
        ttl_seconds=300,
    )
    expect(models.DeskQueueOut, create_queue.sync_detailed(slug, client=person, body=queue))
    people = expect(models.PageCandidateOut, list_candidates.sync_detailed(slug, client=person))
    user = people.data[0].user
    agent = models.DeskAgentIn(user=user, name="Mei", queues=[queue.slug])
    expect(models.DeskAgentOut, add_agent.sync_detailed(slug, client=person, body=agent))
    console = new_token(person, "console", [f"desk:{slug}"], ["line.visit", "line.serve"])
    nothing = models.NothingIn()
    expect(models.AgentOut, login.sync_detailed(client=console, body=nothing, agent=user))
    visitor = models.JoinIn(name="Zoe", topic="An order", contact="zoe@example.org")
    joined = expect(models.JoinOut, join.sync_detailed(queue.slug, client=console, body=visitor))
    state = expect(models.AgentOut, login.sync_detailed(client=console, body=nothing, agent=user))
    offer = models.OfferIn(visit=joined.visit, token=state.offer_token)
    state = expect(models.AgentOut, accept.sync_detailed(client=console, body=offer, agent=user))
    assert [(slot.kind, slot.visit) for slot in state.slots] == [("room", joined.visit)], state
    room = models.RoomIn(visit=joined.visit)
    expect(models.AgentOut, finish.sync_detailed(client=console, body=room, agent=user))
    visit = expect(models.VisitOut, get_visit.sync_detailed(joined.visit, client=console))
    assert visit.answer == "ended", visit
    print(f"line: visit {joined.visit} served")


def drive_gate(person: AuthenticatedClient) -> None:
    """Create a gate. Acquire, renew and release a permit; let a device carry out a batch's task."""
    slug = f"{ACCOUNT}-gate"
    settings = models.GateIn(slug=slug, account=ACCOUNT, cap=5)
    expect(models.GateOut, make_gate.sync_detailed(client=person, body=settings))
    actions = ["admission.view", "admission.use", "admission.batch"]
    holder = new_token(person, "holder", [f"gate:{slug}"], actions)
    asked = models.AcquireIn(holder="worker-1")
    permit = expect(models.PermitAnswer, acquire.sync_detailed(slug, client=holder, body=asked))
    assert permit.granted and isinstance(permit.token, int), permit
    again = models.RenewIn(holder="worker-1", token=permit.token)
    permit = expect(models.PermitAnswer, renew.sync_detailed(slug, client=holder, body=again))
    assert permit.granted and isinstance(permit.token, int), permit
    done = models.ReleaseIn(holder="worker-1", token=permit.token, ok=True, took_ms=120)
    told = expect(models.ReleaseAnswer, release.sync_detailed(slug, client=holder, body=done))
    assert told.released, told
    now = datetime.now(UTC)
    batch = models.BatchIn(
        name="Firmware",
        opens_at=now - timedelta(hours=1),
        closes_at=now + timedelta(hours=1),
        csv=f"{ACCOUNT}-d1,upgrade",
    )
    made = expect(models.BatchOut, make_batch.sync_detailed(slug, client=holder, body=batch))

    def reports(*results: models.TaskResult) -> models.ReportAnswer:
        body = models.DeviceReport(results=list(results))
        return expect(
            models.ReportAnswer, report.sync_detailed(f"{ACCOUNT}-d1", client=holder, body=body)
        )

    def given() -> models.ReportAnswer | None:
        answer = reports()
        return answer if answer.task else None

    task = wait_for(given)
    assert isinstance(task.task, str) and isinstance(task.token, int), task
    assert task.payload == "upgrade", task
    taken = reports(models.TaskResult(task=task.task, token=task.token, ok=True))
    assert isinstance(taken.results, list) and taken.results[0].outcome == "accepted", taken

    def finished() -> models.BatchOut | None:
        found = expect(models.BatchOut, get_batch.sync_detailed(slug, made.id, client=holder))
        return found if found.done == found.total == 1 else None

    wait_for(finished)
    seen = expect(models.GateOut, get_gate.sync_detailed(slug, client=holder))
    assert (seen.used, seen.granted) == (0, 2), seen
    print("gate: a permit and a task done")


def drive_dispatcher(person: AuthenticatedClient) -> None:
    """Create and change a group of servers. Find an instance that has a session, and drain it."""
    slug = f"{ACCOUNT}-group"
    body = models.GroupIn(slug=slug, name="Servers", heartbeat_seconds=5)
    expect(models.GroupOut, make_group.sync_detailed(client=person, body=body))
    change = models.GroupChangeIn(out_limit=500, reason="More messages at once")
    group = expect(models.GroupOut, change_group.sync_detailed(slug, client=person, body=change))
    assert (group.out_limit, group.heartbeat_seconds) == (500, 5), group
    actions = ["dispatch.view", "dispatch.operate"]
    servers = new_token(person, "servers", [f"group:{slug}"], actions, account=None)

    def linked() -> models.InstanceOut | None:
        found = expect(list, list_instances.sync_detailed(slug, client=servers))
        return next((one for one in found if one.sessions), None)

    instance = wait_for(linked)
    page = expect(
        models.PageSessionRowOut,
        list_sessions.sync_detailed(slug, client=servers, peer=f"b:{instance.id}"),
    )
    assert [one.instance for one in page.data] == [instance.name], page
    drain = models.ManualIn(models.ManualInState.DRAIN, reason="Maintenance")
    answer = set_instance.sync_detailed(slug, instance.name, client=servers, body=drain)
    assert answer.status_code == 204, answer.content
    seen = linked()
    assert seen is not None and seen.manual == "drain", seen
    print(f"dispatcher: {instance.name} has a session and drains")
