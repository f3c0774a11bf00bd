"""The history's sentences about gates and batches."""

from collections.abc import Collection, Mapping

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from poolsite.access import Principal, visible
from poolsite.console.sentences import (
    HistoryObject,
    Sentence,
    SettingsFields,
    count,
    moment,
    register,
    register_object,
)
from queueing.admission.forms import GateSettingsForm
from queueing.admission.models import Gate, TaskBatch

GATES, BATCHES = _("Gates"), _("Batches")


def register_all() -> None:
    """Register the sentences. Called once, before the log is first read."""
    register(*_of_gates(), *_of_batches())
    register_object(HistoryObject("batch", _("Batch"), _pages_of_batches))


def _of_gates() -> list[Sentence]:
    return [
        Sentence("admission.gate_create", GATES, _("%(actor)s created the gate %(thing)s")),
        Sentence(
            "admission.gate_configure", GATES, settings=SettingsFields(Gate, GateSettingsForm)
        ),
        Sentence(
            "admission.gate_pin",
            GATES,
            _("%(actor)s pinned the concurrency limit of the gate %(thing)s at %(pinned_cap)s"),
            variant=lambda entry: (
                ""
                if (entry.after or {}).get("pinned_cap") is not None
                else _("%(actor)s unpinned the concurrency limit of the gate %(thing)s")
            ),
        ),
        Sentence(
            "admission.gate_key_new",
            GATES,
            _("%(actor)s created a signing key for the gate %(thing)s"),
        ),
        Sentence(
            "admission.gate_key_use",
            GATES,
            _("%(actor)s switched the gate %(thing)s to its new signing key"),
        ),
        Sentence(
            "admission.gate_key_remove",
            GATES,
            _("%(actor)s removed the signing keys of the gate %(thing)s"),
        ),
        Sentence(
            "admission.test_permit",
            GATES,
            _("%(actor)s took a test permit of the gate %(thing)s and gave it back"),
        ),
        Sentence("admission.gate_pause", GATES, _("%(actor)s paused the gate %(thing)s")),
        Sentence("admission.gate_resume", GATES, _("%(actor)s resumed the gate %(thing)s")),
        Sentence(
            "admission.gate_open_early",
            GATES,
            _("%(actor)s opened the gate %(thing)s before its recovery was complete"),
        ),
        Sentence("admission.gate_delete", GATES, _("%(actor)s deleted the gate %(thing)s")),
        Sentence(
            "admission.gate_rebuild",
            GATES,
            _("%(actor)s rebuilt the gate %(thing)s from the database"),
        ),
        Sentence(
            "admission.gate_reconcile",
            GATES,
            _("%(actor)s repaired differences in the gate %(thing)s: %(drift)s"),
        ),
        Sentence("admission.permit_free", GATES, _("%(actor)s freed the slot held by %(holder)s")),
    ]


def _of_batches() -> list[Sentence]:
    tasks = count(lambda n: ngettext("%(n)s task", "%(n)s tasks", n))
    return [
        Sentence(
            "admission.batch_create",
            BATCHES,
            _("%(actor)s created the batch %(thing)s with %(tasks)s"),
            {"tasks": tasks},
        ),
        Sentence("admission.batch_pause", BATCHES, _("%(actor)s paused the batch %(thing)s")),
        Sentence("admission.batch_resume", BATCHES, _("%(actor)s resumed the batch %(thing)s")),
        Sentence(
            "admission.batch_extend",
            BATCHES,
            _("%(actor)s extended the batch %(thing)s until %(closes_at)s"),
            {"closes_at": moment},
        ),
        Sentence("admission.batch_cancel", BATCHES, _("%(actor)s cancelled the batch %(thing)s")),
    ]


def _pages_of_batches(reader: Principal, ids: Collection[str]) -> Mapping[str, str]:
    known = [each for each in ids if each.isdecimal()]
    gates = visible(Gate.objects.all(), reader, "admission.view")
    rows = TaskBatch.objects.filter(pk__in=known, gate__in=gates).values_list("pk", flat=True)
    return {str(pk): reverse("admission:batch", args=[pk]) for pk in rows}
