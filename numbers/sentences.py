"""The audit log's sentences about pools, numbers, switches and imports."""

from collections.abc import Collection, Mapping

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from numbers import health_reasons
from numbers.forms import PoolSettingsForm
from numbers.models import HealthRule, Number, Pool, SwitchKind
from numbers.selectors.imports import visible_imports
from poolsite.access import Principal
from poolsite.console.sentences import (
    HistoryObject,
    Sentence,
    SettingsFields,
    choice,
    count,
    numbers,
    plain,
    register,
    register_object,
)

POOLS, NUMBERS, IMPORTS = _("Pools"), _("Numbers"), _("Imports")
MANY = {"numbers": numbers}


def register_all() -> None:
    """Register the sentences. Called once, before the log is first read."""
    register(*_of_pools(), *_of_numbers(), *_of_health(), *_of_imports())
    register_object(HistoryObject("numberimport", _("Import"), _pages_of_imports))


def _of_pools() -> list[Sentence]:
    return [
        Sentence("numbers.pool_create", POOLS, _("%(actor)s created the pool %(thing)s")),
        Sentence("numbers.pool_configure", POOLS, settings=SettingsFields(Pool, PoolSettingsForm)),
        Sentence("numbers.pool_pause", POOLS, _("%(actor)s paused the pool %(thing)s")),
        Sentence("numbers.pool_resume", POOLS, _("%(actor)s resumed the pool %(thing)s")),
        Sentence(
            "numbers.pool_open_early",
            POOLS,
            _("%(actor)s opened the pool %(thing)s before its recovery was complete"),
        ),
        Sentence("numbers.pool_delete", POOLS, _("%(actor)s deleted the pool %(thing)s")),
        Sentence(
            "numbers.pool_rebuild",
            POOLS,
            _("%(actor)s rebuilt the pool %(thing)s from the database"),
        ),
        Sentence(
            "numbers.pool_reconcile",
            POOLS,
            _("%(actor)s corrected differences in the pool %(thing)s: %(drift)s"),
            {"drift": plain},
        ),
        Sentence(
            "numbers.test_call",
            POOLS,
            _("%(actor)s made a test call in the pool %(thing)s with %(number)s"),
            {"number": plain},
        ),
        Sentence("numbers.switch_create", POOLS, _("%(actor)s added the switch %(thing)s")),
        Sentence(
            "numbers.switch_configure",
            POOLS,
            _("%(actor)s set the type of the switch %(thing)s to %(kind)s"),
            {"kind": choice(SwitchKind.choices)},
        ),
        Sentence("numbers.switch_delete", POOLS, _("%(actor)s deleted the switch %(thing)s")),
        Sentence(
            "numbers.switch_user",
            POOLS,
            _("%(actor)s set the Redis user of the switch %(thing)s"),
        ),
    ]


def _of_numbers() -> list[Sentence]:
    return [
        Sentence(
            "numbers.number_add", NUMBERS, _("%(actor)s added %(numbers)s to %(thing)s"), MANY
        ),
        Sentence(
            "numbers.number_delete",
            NUMBERS,
            _("%(actor)s deleted %(numbers)s from %(thing)s"),
            MANY,
        ),
        Sentence(
            "numbers.number_move", NUMBERS, _("%(actor)s moved %(numbers)s to %(thing)s"), MANY
        ),
        Sentence(
            "numbers.number_change",
            NUMBERS,
            settings=SettingsFields(Number, labels={"tags": _("Tags")}),
            title=_("Changed a number"),
        ),
        Sentence(
            "numbers.number_quarantine",
            NUMBERS,
            _("%(actor)s quarantined %(numbers)s of %(thing)s"),
            MANY,
        ),
        Sentence(
            "numbers.number_release",
            NUMBERS,
            _("%(actor)s released %(numbers)s of %(thing)s from quarantine"),
            MANY,
        ),
        Sentence(
            "numbers.twins_merge",
            NUMBERS,
            _("%(actor)s merged %(removed)s into %(number)s"),
            {"removed": plain, "number": plain},
        ),
        Sentence(
            "numbers.twin_remove",
            NUMBERS,
            _("%(actor)s removed %(removed)s, a duplicate of %(number)s"),
            {"removed": plain, "number": plain},
        ),
        Sentence(
            "numbers.number_force_hangup",
            NUMBERS,
            _("%(actor)s ended the calls on %(numbers)s of %(thing)s"),
            MANY,
        ),
    ]


def _of_health() -> list[Sentence]:
    rule = SettingsFields(HealthRule)
    labels = count(lambda n: ngettext("%(n)s spam label", "%(n)s spam labels", n))
    return [
        Sentence(
            "numbers.health_rule_create",
            POOLS,
            _("%(actor)s added the health rule %(name)s to %(thing)s"),
        ),
        Sentence(
            "numbers.health_rule_change",
            POOLS,
            _("%(actor)s changed the health rule %(name)s of %(thing)s"),
            settings=rule,
        ),
        Sentence(
            "numbers.health_rule_delete",
            POOLS,
            _("%(actor)s deleted the health rule %(name)s of %(thing)s"),
        ),
        Sentence(
            "numbers.health_apply",
            NUMBERS,
            _("The rule %(rule)s took %(numbers)s of %(thing)s out of use: %(why)s"),
            {**MANY, "why": lambda value, _reading: health_reasons.said(str(value))},
        ),
        Sentence(
            "numbers.health_return",
            NUMBERS,
            _("%(numbers)s of %(thing)s returned to use after the rest ended"),
            MANY,
        ),
        Sentence(
            "numbers.health_undo",
            NUMBERS,
            _("%(actor)s undid the rule %(rule)s for %(numbers)s of %(thing)s"),
            MANY,
        ),
        Sentence(
            "numbers.spam_labels_add",
            NUMBERS,
            _("%(actor)s reported %(labels)s of %(numbers)s of %(thing)s"),
            {**MANY, "labels": labels},
        ),
    ]


def _of_imports() -> list[Sentence]:
    some = count(lambda n: ngettext("%(n)s number", "%(n)s numbers", n))
    return [
        Sentence(
            "numbers.import_upload",
            IMPORTS,
            _("%(actor)s uploaded %(file)s for import into the pool %(pool)s"),
        ),
        Sentence(
            "numbers.import_confirm",
            IMPORTS,
            _("%(actor)s started importing %(numbers)s into the pool %(pool)s"),
            MANY,
        ),
        Sentence(
            "numbers.import_done",
            IMPORTS,
            _("%(actor)s imported %(imported)s into the pool %(pool)s"),
            {"imported": some},
        ),
        Sentence(
            "numbers.import_undo",
            IMPORTS,
            _("%(actor)s started undoing the import %(thing)s of %(numbers)s"),
            MANY,
        ),
        Sentence(
            "numbers.import_undone",
            IMPORTS,
            _("%(actor)s undid the import %(thing)s and removed %(removed)s from %(pool)s"),
            {"removed": some},
        ),
        Sentence(
            "numbers.import_discard",
            IMPORTS,
            _("%(actor)s discarded the preview of the import %(thing)s"),
        ),
    ]


def _pages_of_imports(reader: Principal, ids: Collection[str]) -> Mapping[str, str]:
    known = [each for each in ids if each.isdecimal()]
    page = reverse("numbers:numbers")
    found = visible_imports(reader).filter(pk__in=known).values_list("pk", flat=True)
    return {str(pk): f"{page}?panel={pk}" for pk in found}
