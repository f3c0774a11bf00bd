"""Requests that were sent with an `Idempotency-Key`, and their answers."""

from datetime import timedelta

from django.db import models
from django.utils import timezone

LEASE = timedelta(seconds=60)  # a request that takes longer may have died with its process


class IdempotentRequest(models.Model):
    """The first request with a key, by its sender: `token:7`, `user:3`, `visitor:<visit>`.

    `fingerprint`: SHA-256 of its method, address and body. `status` is None while it runs. `answer`
    is None if the body was not stored, because it shows a secret or is too long.
    """

    credential = models.CharField(max_length=100)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    content_type = models.CharField(max_length=100, blank=True)
    answer = models.BinaryField(null=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["credential", "key"], name="idempotent_request_once")
        ]

    @property
    def is_abandoned(self) -> bool:
        """Whether it has run for so long that it may never be answered."""
        return self.status is None and self.created_at < timezone.now() - LEASE
