"""The history's sentences about incidents, recipients, webhooks, tags, notes and saved views."""

from collections.abc import Collection

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from poolsite.access import Principal, visible
from poolsite.console.sentences import (
    HistoryObject,
    Sentence,
    SettingsFields,
    moment,
    register,
    register_object,
)
from poolsite.operations import selectors
from poolsite.operations.models import NoticeTarget, WebhookEndpoint

INCIDENTS, TAGS, VIEWS = _("Incidents"), _("Tags and notes"), _("Saved views")
WEBHOOKS = _("Webhooks")


def register_all() -> None:
    """Register the sentences. Called once, before the log is first read."""
    register(
        Sentence(
            "operations.acknowledge",
            INCIDENTS,
            _("%(actor)s acknowledged the incident “%(thing)s”"),
        ),
        Sentence(
            "operations.assign",
            INCIDENTS,
            _("%(actor)s assigned the incident “%(thing)s” to %(owner)s"),
        ),
        Sentence(
            "operations.resolve",
            INCIDENTS,
            _("%(actor)s resolved the incident “%(thing)s”"),
        ),
        Sentence(
            "operations.snooze",
            INCIDENTS,
            _("%(actor)s snoozed the incident “%(thing)s” until %(until)s"),
            places={"until": moment},
        ),
        Sentence(
            "operations.snooze_end",
            INCIDENTS,
            _("%(actor)s ended the snooze of the incident “%(thing)s”"),
        ),
        Sentence(
            "operations.incident_note",
            INCIDENTS,
            _("%(actor)s added a note to the incident “%(thing)s”: “%(note)s”"),
        ),
        Sentence(
            "operations.confirm_clock", INCIDENTS, _("%(actor)s confirmed that the clock is right")
        ),
        Sentence(
            "operations.target_create",
            INCIDENTS,
            _("%(actor)s added %(thing)s to the alert recipients"),
        ),
        Sentence(
            "operations.target_change",
            INCIDENTS,
            settings=SettingsFields(NoticeTarget),
            title=_("Changed an alert recipient"),
        ),
        Sentence(
            "operations.target_delete",
            INCIDENTS,
            _("%(actor)s removed %(thing)s from the alert recipients"),
        ),
        Sentence(
            "operations.tags_set",
            TAGS,
            _("%(actor)s changed the tags of %(thing)s from %(before_tags)s to %(tags)s"),
        ),
        Sentence("operations.note_add", TAGS, _("%(actor)s added a note to %(thing)s: “%(note)s”")),
        Sentence(
            "operations.note_remove",
            TAGS,
            _("%(actor)s removed a note from %(thing)s: “%(note)s”"),
        ),
        Sentence("operations.view_save", VIEWS, _("%(actor)s saved the view %(thing)s")),
        Sentence("operations.view_delete", VIEWS, _("%(actor)s deleted the view %(thing)s")),
    )
    register(
        *(
            Sentence(f"operations.{name}", WEBHOOKS, text)
            for name, text in (
                ("webhook_create", _("%(actor)s created the webhook endpoint “%(thing)s”")),
                ("webhook_delete", _("%(actor)s deleted the webhook endpoint “%(thing)s”")),
                ("webhook_disable", _("%(actor)s disabled the webhook endpoint “%(thing)s”")),
                ("webhook_enable", _("%(actor)s enabled the webhook endpoint “%(thing)s”")),
                ("webhook_pause", _("The failing webhook endpoint “%(thing)s” was paused")),
                (
                    "webhook_rotate",
                    _("%(actor)s rotated the signing secret of the webhook endpoint “%(thing)s”"),
                ),
                (
                    "webhook_test",
                    _("%(actor)s sent a test event to the webhook endpoint “%(thing)s”"),
                ),
                (
                    "webhook_resend",
                    _("%(actor)s sent the event %(event)s to “%(thing)s” again"),
                ),
                (
                    "webhook_resend_failed",
                    _("%(actor)s sent %(deliveries)s failed events to “%(thing)s” again"),
                ),
            )
        ),
        Sentence(
            "operations.webhook_change",
            WEBHOOKS,
            settings=SettingsFields(WebhookEndpoint),
            title=_("Changed a webhook endpoint"),
        ),
    )
    register_object(
        HistoryObject("incident", _("Incident"), _incident_pages),
        HistoryObject("noticetarget", _("Alert recipient")),
        HistoryObject("webhookendpoint", _("Webhook endpoint"), _webhook_pages),
        HistoryObject("savedview", _("Saved view")),
    )


def _incident_pages(reader: Principal, ids: Collection[str]) -> dict[str, str]:
    known = selectors.incidents(reader, state="all").filter(pk__in=ids)
    return {
        str(key): reverse("operations:incident", args=[key])
        for key in known.values_list("pk", flat=True)
    }


def _webhook_pages(reader: Principal, ids: Collection[str]) -> dict[str, str]:
    known = visible(WebhookEndpoint.objects.filter(pk__in=ids), reader, "operations.webhooks")
    return {
        str(key): reverse("operations:webhook", args=[slug])
        for key, slug in known.values_list("pk", "slug")
    }
