"""The tables of operations: incidents, alerts, webhooks, saved views, tags and notes."""

from poolsite.operations.models.beside import Note, SavedView, Tag
from poolsite.operations.models.incidents import Incident, IncidentEvent
from poolsite.operations.models.notices import Notice, NoticeTarget, OutgoingCall
from poolsite.operations.models.webhooks import (
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
    new_secret,
)

__all__ = [
    "Incident",
    "IncidentEvent",
    "Note",
    "Notice",
    "NoticeTarget",
    "OutgoingCall",
    "SavedView",
    "Tag",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookEvent",
    "new_secret",
]
