"""Gates made, set, resized, paused, deleted: permissions and traces."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from poolsite import access, hotpath
from poolsite.access.models import AuditEntry
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate as commands
from queueing.admission import services
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate, UnsentChange
from queueing.admission.services import gates
from queueing.admission.services.common import settings_of
from queueing.admission.services.trial_permits import trial_permit
from tests.admission.people import SLUG, drain, make_batch, make_gate, show
from tests.numbers.people import operator, tenant
from tests.support.timers import let_time_pass

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def acquire(holder: str) -> commands.Permit:
    return hotpath.run(commands.acquire(SLUG, holder))


def test_a_gate_is_made_in_sql_and_in_redis_and_audited() -> None:
    actor = operator()
    made = services.gate_create(actor=actor, slug=SLUG, name="Tower", cap=7)
    assert (show().cap, show().generation) == (7, made.generation)
    entry = AuditEntry.objects.get(action="admission.gate_create")
    assert (entry.actor_name, entry.thing_id) == (actor.name, SLUG)
    assert not UnsentChange.objects.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("cap", value) for value in (0, -1, 1_000_001, 10**20, "sixty", None)),
        *(("permit_seconds", value) for value in (0, 10, 86_401)),
        *(("attempts", 0), ("rate_per_second", 10_001), ("colour", "red")),
    ],
)
def test_a_setting_out_of_range_changes_nothing(name: str, value: object) -> None:
    gate = make_gate()
    before = show()
    with pytest.raises(ValidationError):
        services.gate_configure(actor="test", gate=gate, **{name: value})
    with pytest.raises(ValidationError):
        services.gate_create(actor="test", slug="other", **{name: value})
    after = show()
    assert (after.settings, after.seq) == (before.settings, before.seq)
    assert not Gate.objects.filter(slug="other").exists()


def test_a_resize_holds_from_that_moment_in_both_directions() -> None:
    gate = make_gate(cap=3)
    permits = {name: acquire(name) for name in "abc"}
    services.gate_resize(actor=operator(), gate=gate, cap=1)
    assert not acquire("d").granted
    for name in "abc":
        assert hotpath.run(commands.release(SLUG, name, permits[name].token)).done
        assert acquire("d").granted == (name == "c")
    services.gate_resize(actor=operator(), gate=gate, cap=2)
    assert acquire("e").granted
    entry = AuditEntry.objects.filter(action="admission.gate_configure").first()
    assert entry is not None
    assert "cap" in (entry.after or {})


def test_only_an_operator_with_the_grant_may_change_a_gate() -> None:
    mine, other = tenant("mine"), tenant("other")
    gate = make_gate(account=mine.account)
    with pytest.raises(access.Forbidden):
        services.gate_resize(actor=mine.principal, gate=gate, cap=1)
    with pytest.raises(access.Hidden):
        services.gate_resize(actor=other.principal, gate=gate, cap=1)
    assert show().cap == 60


def test_pausing_twice_leaves_one_trace() -> None:
    gate = make_gate()
    services.gate_pause(actor="test", gate=gate, reason="works")
    services.gate_pause(actor="test", gate=gate, reason="works again")
    assert acquire("a").reason == "paused"
    services.gate_resume(actor="test", gate=gate)
    assert acquire("a").granted
    assert AuditEntry.objects.filter(action="admission.gate_pause").count() == 1


def test_a_pin_holds_the_adaptive_cap_and_letting_go_goes_on_from_there() -> None:
    gate = make_gate(adaptive=True, adaptive_min=2, adaptive_max=50, cap=20)
    assert show().settings.adaptive
    services.gate_pin(actor="test", gate=gate, cap=9, reason="carrier asked")
    assert (show().cap, show().settings.adaptive) == (9, False)
    services.gate_pin(actor="test", gate=gate, cap=None, reason="")
    assert (show().cap, show().settings.adaptive) == (9, True)


def test_the_settings_sweep_leaves_an_adaptive_cap_where_it_is() -> None:
    make_gate(adaptive=True, adaptive_min=2, adaptive_max=50, cap=20)
    hotpath.run(commands.resize(SLUG, 33, adaptive=True))
    services.apply_all_settings()
    assert show().cap == 33


def test_a_slow_sender_does_not_undo_a_newer_change() -> None:
    gate = make_gate(cap=20)
    seen = Gate.objects.get(pk=gate.pk)  # by a worker, before the changes
    services.gate_resize(actor="test", gate=gate, cap=5)
    services.gate_pause(actor="test", gate=gate, reason="works")
    gates.apply_settings(seen)
    gates.apply_pause(seen)
    assert (show().cap, show().status) == (5, "paused")


def test_a_deletion_that_redis_missed_is_done_and_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = make_gate()
    with monkeypatch.context() as away:
        away.setattr(commands, "destroy", _away)
        services.gate_delete(actor="test", gate=gate, reason="old")
    assert not Gate.objects.exists()
    assert show().status == "paused"
    UnsentChange.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert services.watch_gates(0, 1)["resent"] == 1
    assert hotpath.run(commands.show(SLUG)) is None
    assert not UnsentChange.objects.exists()


def _away(*_command: object) -> None:
    raise hotpath.Unavailable("away")


def test_a_gate_with_permits_or_batches_is_not_deleted() -> None:
    gate = make_gate()
    permit = acquire("a")
    with pytest.raises(AdmissionError, match="1 slot is in use"):
        services.gate_delete(actor="test", gate=gate, reason="old")
    assert show().status == "open"
    hotpath.run(commands.release(SLUG, "a", permit.token))
    batch = make_batch(gate, ["d"])
    with pytest.raises(AdmissionError, match="unfinished batches"):
        services.gate_delete(actor="test", gate=gate, reason="old")
    services.batch_cancel(actor="test", batch=batch, reason="old")
    let_time_pass("admission.gate")
    drain(gate)
    services.gate_delete(actor="test", gate=gate, reason="old")
    assert hotpath.run(commands.show(SLUG)) is None
    with pytest.raises(ValidationError):
        make_gate()


def test_a_test_permit_that_is_refused_leaves_no_place_in_line() -> None:
    gate, actor = make_gate(cap=1), operator()
    acquire("a")
    for _ in range(3):
        with pytest.raises(AdmissionError, match="All slots are in use"):
            trial_permit(actor=actor, gate=gate, token=uuid4())
    assert show().waiting == 0


def test_a_recovering_gate_that_is_not_deleted_opens_as_it_was() -> None:
    gate = make_gate()
    hotpath.run(commands.destroy(SLUG, gate.generation))
    hotpath.run(commands.recover(SLUG, gate.generation, settings_of(gate), open_after_seconds=300))
    with pytest.raises(AdmissionError) as refused:
        services.gate_delete(actor="test", gate=gate, reason="old")
    assert refused.value.kind == "gate-recovering"
    assert hotpath.client().hget(gate.tag, "becomes") == "o"


def test_a_freed_permit_is_the_one_that_was_looked_at() -> None:
    gate = make_gate()
    permit = acquire("a")
    with pytest.raises(ValidationError, match="Enter a short reason"):
        services.permit_free(actor="test", gate=gate, holder="a", token=permit.token, reason=" ")
    with pytest.raises(AdmissionError, match="no longer has this permit"):
        services.permit_free(
            actor="test", gate=gate, holder="a", token=permit.token + 1, reason="hangs"
        )
    services.permit_free(actor="test", gate=gate, holder="a", token=permit.token, reason="hangs")
    assert show().used == 0
    assert AuditEntry.objects.filter(action="admission.permit_free").exists()


def test_a_change_made_while_redis_is_away_arrives_later(redis_server: RedisServer) -> None:
    gate = make_gate()
    hotpath.client().hset(gate.tag, "script_version", "99")  # every script refuses to write
    services.gate_resize(actor="test", gate=gate, cap=5)
    assert UnsentChange.objects.count() == 1
    hotpath.client().hset(gate.tag, "script_version", "1")
    assert show().cap == 60
    services.bring_to_redis(gate)
    assert show().cap == 5
