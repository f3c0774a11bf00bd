"""Finds what the arguments of `manage.py gate` name."""

from django.core.management.base import CommandError

from queueing.admission.models import Gate, TaskBatch

ACTOR = "manage.py gate"


def gate_of(slug: str) -> Gate:
    """Return the gate with this slug. Raise CommandError if there is none."""
    gate = Gate.objects.select_related("account").filter(slug=slug).first()
    if gate is None:
        raise CommandError(f"Gate {slug} not found.")
    return gate


def batch_of(slug: str, key: int) -> TaskBatch:
    """Return a batch of a gate. Raise CommandError if there is none."""
    gate = gate_of(slug)
    batch = None
    if 0 < key < 2**63:
        batch = TaskBatch.objects.select_related("gate").filter(gate=gate, pk=key).first()
    if batch is None:
        raise CommandError(f"Batch {key} not found in {slug}.")
    return batch
