"""The history's sentences about groups, instances and upgrades."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from poolsite.console.sentences import Sentence, SettingsFields, choice, count, moment, register
from queueing.dispatch.forms import GroupSettingsForm
from queueing.dispatch.models import Group, ManualState

GROUPS, INSTANCES, UPGRADES = _("Groups"), _("Instances"), _("Upgrades")


def register_all() -> None:
    """Register the sentences. Called once, before the log is first read."""
    register(*_of_groups(), *_of_instances(), *_of_upgrades())


def _of_groups() -> list[Sentence]:
    return [
        Sentence("dispatch.group_create", GROUPS, _("%(actor)s created the group %(thing)s")),
        Sentence(
            "dispatch.group_configure", GROUPS, settings=SettingsFields(Group, GroupSettingsForm)
        ),
        Sentence("dispatch.group_delete", GROUPS, _("%(actor)s deleted the group %(thing)s")),
        Sentence(
            "dispatch.group_rebuild",
            GROUPS,
            _("%(actor)s rebuilt the group %(thing)s from the database"),
        ),
    ]


def _of_instances() -> list[Sentence]:
    state = choice(ManualState.choices)
    return [
        Sentence(
            "dispatch.instance_set",
            INSTANCES,
            _("%(actor)s set the instance %(thing)s from %(before_state)s to %(state)s"),
            {"state": state, "before_state": state, "until": moment},
            variant=lambda entry: (
                _(
                    "%(actor)s set the instance %(thing)s from %(before_state)s to %(state)s"
                    " until %(until)s"
                )
                if (entry.after or {}).get("until")
                else ""
            ),
        ),
        Sentence(
            "dispatch.name_forget",
            INSTANCES,
            _("%(actor)s removed the instance name %(thing)s"),
        ),
        Sentence(
            "dispatch.instance_backup",
            INSTANCES,
            _("%(actor)s made the instance %(thing)s a primary"),
            variant=lambda entry: (
                _("%(actor)s made the instance %(thing)s a backup")
                if (entry.after or {}).get("backup")
                else ""
            ),
        ),
        Sentence(
            "dispatch.instance_uneject",
            INSTANCES,
            _("%(actor)s ended the ejection of the instance %(thing)s"),
        ),
        Sentence("dispatch.session_end", INSTANCES, _("%(actor)s ended the session %(thing)s")),
        Sentence(
            "dispatch.peer_disconnect", INSTANCES, _("%(actor)s closed the link of %(thing)s")
        ),
    ]


def _of_upgrades() -> list[Sentence]:
    instances = count(lambda n: ngettext("%(n)s instance", "%(n)s instances", n))
    return [
        Sentence(
            "dispatch.upgrade_start",
            UPGRADES,
            _("%(actor)s started the upgrade of %(names)s to version %(version)s"),
            {"names": instances},
        ),
        Sentence(
            "dispatch.upgrade_force",
            UPGRADES,
            _("%(actor)s ended the remaining sessions on %(name)s to continue the upgrade"),
        ),
        Sentence(
            "dispatch.upgrade_abort",
            UPGRADES,
            _("%(actor)s aborted the upgrade to version %(version)s"),
        ),
        Sentence(
            "dispatch.upgrade_done",
            UPGRADES,
            _("%(actor)s finished the upgrade to version %(version)s"),
        ),
    ]
