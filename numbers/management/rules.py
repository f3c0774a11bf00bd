"""`manage.py pool rule …`: the health rules of a pool. `pool imports …`: its imports."""

from typing import Any

from django.core.management.base import CommandError

from numbers.management.common import ACTOR, Say, add_reason, add_run, pool_named
from numbers.models import HealthAction, HealthRule, NumberImport
from numbers.models.health_rules import RULE_SETTINGS
from numbers.selectors.health import health_rules, pool_actions
from numbers.selectors.imports import pool_imports
from numbers.services import imports
from numbers.services.health_acting import health_undo
from numbers.services.health_rules import (
    health_rule_change,
    health_rule_create,
    health_rule_delete,
)
from poolsite.console.setting_options import add_settings, changes_given, settings_given

SHOWN = 100
STEPS = {
    "confirm": (imports.import_confirm, "add the numbers of a preview"),
    "undo": (imports.import_undo, "delete the numbers that an import added"),
    "discard": (imports.import_discard, "delete a preview"),
}


def add_verbs(verbs: Any, say: Say) -> None:
    """Add the verbs to the command's parser."""
    _add_rules(verbs, say)
    _add_imports(verbs, say)


def _add_rules(verbs: Any, say: Say) -> None:
    parser = verbs.add_parser("rule", help="list, add, change and delete health rules")
    its = parser.add_subparsers(dest="rule_verb", required=True, metavar="verb")
    for verb, run, told in (
        ("list", _list, "list the rules of a pool"),
        ("add", _add, "add a rule"),
        ("set", _set, "change a rule, or turn it on or off"),
        ("delete", _delete, "delete a rule"),
        ("actions", _actions, "list the numbers that rules took out of use"),
        ("undo", _undo, "put a number back into use"),
    ):
        one = its.add_parser(verb, help=told)
        one.add_argument("slug")
        if verb in ("set", "delete", "undo"):
            one.add_argument("id", type=int)
        if verb in ("add", "set"):
            add_settings(one, HealthRule, RULE_SETTINGS)
        if verb not in ("list", "actions"):
            add_reason(one)
        add_run(one, run, say)


def _add_imports(verbs: Any, say: Say) -> None:
    parser = verbs.add_parser("imports", help="list, confirm, undo and discard imports")
    its = parser.add_subparsers(dest="import_verb", required=True, metavar="verb")
    shown = its.add_parser("list", help="list the imports into a pool")
    shown.add_argument("slug")
    add_run(shown, _list_imports, say)
    for verb, (_service, told) in STEPS.items():
        one = its.add_parser(verb, help=told)
        one.add_argument("slug")
        one.add_argument("id", type=int)
        add_reason(one)
        add_run(one, _step, say)


def _list(options: dict[str, Any], say: Say) -> None:
    for rule in health_rules(pool_named(options["slug"])):
        state = "on" if rule.enabled else "off"
        what = f"{rule.measure} {rule.direction} {rule.threshold:g} in {rule.window}"
        say(f"{rule.pk:>6}  {state:<4} {what}: {rule.action}  {rule.name}")


def _add(options: dict[str, Any], say: Say) -> None:
    rule = health_rule_create(
        actor=ACTOR,
        pool=pool_named(options["slug"]),
        reason=options["reason"],
        **settings_given(options, RULE_SETTINGS),
    )
    say(f"Rule {rule.pk} added.")


def _set(options: dict[str, Any], say: Say) -> None:
    changes = changes_given(options, RULE_SETTINGS)
    rule = _rule(options)
    health_rule_change(actor=ACTOR, rule=rule, reason=options["reason"], **changes)
    say(f"Rule {rule.pk} changed.")


def _delete(options: dict[str, Any], say: Say) -> None:
    rule = _rule(options)
    number = rule.pk  # None once it is deleted
    health_rule_delete(actor=ACTOR, rule=rule, reason=options["reason"])
    say(f"Rule {number} deleted.")


def _rule(options: dict[str, Any]) -> HealthRule:
    pool = pool_named(options["slug"])
    found = HealthRule.objects.filter(pool=pool, pk=options["id"]).first()
    if found is None:
        raise CommandError(f"Rule {options['id']} not found in this pool.")
    found.pool = pool
    return found


def _actions(options: dict[str, Any], say: Say) -> None:
    rows = pool_actions(pool_named(options["slug"])).order_by("-pk")
    for each in rows[:SHOWN]:
        back = each.returned_how or "out of use"
        say(f"{each.pk:>6}  {each.at:%Y-%m-%d %H:%M}  {each.number:<18} {back}  {each.reason}")


def _undo(options: dict[str, Any], say: Say) -> None:
    pool = pool_named(options["slug"])
    action: HealthAction | None = pool_actions(pool).filter(pk=options["id"]).first()
    if action is None:
        raise CommandError(f"Action {options['id']} not found in this pool.")
    action.pool = pool
    health_undo(actor=ACTOR, action=action, reason=options["reason"])
    say(f"{action.number} is back in use.")


def _list_imports(options: dict[str, Any], say: Say) -> None:
    for each in pool_imports(pool_named(options["slug"]))[:SHOWN]:
        say(f"{each.pk:>6}  {each.shown_state.value:<10} {each.imported:>9,}  {each.file_name}")


def _step(options: dict[str, Any], say: Say) -> None:
    found: NumberImport | None = (
        pool_imports(pool_named(options["slug"])).filter(pk=options["id"]).first()
    )
    if found is None:
        raise CommandError(f"Import {options['id']} not found in this pool.")
    service, _told = STEPS[options["import_verb"]]
    found = service(actor=ACTOR, number_import=found, reason=options["reason"])
    say(f"{found.public_id}: {found.shown_state.value}")
