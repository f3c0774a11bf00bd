"""The admin's lists of groups and peers. Every change goes through the services, which audit it."""

from typing import Any

from django.contrib import admin
from django.utils.text import capfirst

from poolsite.access.services.actor import Actor
from poolsite.console.admin_lists import ChangedAggregate, OfAggregate
from poolsite.console.admin_values import labelled_text
from queueing.dispatch import services
from queueing.dispatch.models import DispatchEvent, FrontEnd, Group, Instance, Upgrade
from queueing.dispatch.selectors import event_words, reason_told
from queueing.dispatch.services.groups import SETTINGS


class OfGroup(OfAggregate):
    """Rows of a group."""

    view_action = "dispatch.view"
    kind = "group"
    path = "group"


@admin.register(Group)
class GroupAdmin(ChangedAggregate):
    """Groups. Deleting a group needs a reason and is done on its settings page."""

    view_action = "dispatch.view"
    change_action = "dispatch.configure"
    create_action = "dispatch.create"
    kind = "group"
    list_display = ("slug", "name", "account", "sharing", "heartbeat_seconds", "disconnect_seconds")
    search_fields = ("slug__startswith", "name__istartswith")
    fields = ("slug", "account", *SETTINGS)

    def create(self, actor: Actor, **given: Any) -> Group:
        return services.group_create(actor=actor, **given)

    def configure(self, actor: Actor, stored: Group, **changes: Any) -> None:
        services.group_configure(actor=actor, group=stored, **changes)


@admin.register(Instance)
class InstanceAdmin(OfGroup):
    """Instances, read-only. They are changed on the group's page."""

    list_display = ("name", "group", "version", "link_state", "manual_state", "last_seen_at")
    list_filter = ("link_state", "manual_state")
    search_fields = ("name__startswith",)


@admin.register(FrontEnd)
class FrontEndAdmin(OfGroup):
    """All front-ends in SQL."""

    list_display = ("peer_id", "group", "profile", "link_state", "last_seen_at", "told_lost")
    list_filter = ("link_state", "profile")
    search_fields = ("peer_id__startswith",)


@admin.register(Upgrade)
class UpgradeAdmin(OfGroup):
    """Upgrades, read-only. They are controlled on their own page."""

    list_display = ("group", "target_version", "status", "created_by", "created_at", "ended_at")
    list_filter = ("status",)
    ordering = ("-id",)


@admin.register(DispatchEvent)
class GroupEventAdmin(OfGroup):
    """Every entry of the groups' histories."""

    path = "aggregate"
    words = {
        "event": lambda event: str(event_words().get(event, event)),
        "peer": lambda peer: peer.partition(":")[2] or peer,
        "data": labelled_text,
        "reason": lambda reason: str(capfirst(reason_told(reason))),
    }
    list_display = ("at_us", "aggregate", "event", "peer", "name", "count", "reason")
    search_fields = ("peer__startswith", "name__startswith")
    ordering = ("-at_us",)
