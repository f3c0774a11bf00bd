"""Verbs of `manage.py dispatch` about rolling upgrades."""

import time
from typing import Any

from django.core.management.base import CommandError

from queueing.dispatch import selectors, services
from queueing.dispatch.management.common import ACTOR, Options, Say, group_of
from queueing.dispatch.models import Upgrade


def add_verbs(verbs: Any, say: Say) -> None:
    """Add the verbs to the command."""
    upgrade = verbs.add_parser("upgrade", help="upgrade the instances one by one")
    upgrade.add_argument("slug")
    upgrade.add_argument("version")
    upgrade.add_argument("--max-drain", type=int, default=600, metavar="SECONDS")
    upgrade.add_argument("--at-limit", default="wait", choices=("wait", "force"))
    upgrade.add_argument("--reason", default="")
    upgrade.add_argument("--follow", action="store_true", help="print progress until it ends")
    upgrade.set_defaults(run=lambda options: _upgrade(options, say))
    listed = verbs.add_parser("upgrades", help="list the latest upgrades with their steps")
    listed.add_argument("slug")
    listed.add_argument("--count", type=int, default=20)
    listed.set_defaults(run=lambda options: _list(options, say))
    for verb, run, told in (
        ("force", _force, "end the remaining sessions of the instance that drains"),
        ("abort", _abort, "abort the running upgrade"),
    ):
        one = verbs.add_parser(verb, help=told)
        one.add_argument("slug")
        one.add_argument("--reason", required=True)
        one.set_defaults(run=lambda options, run=run: run(options, say))


def _upgrade(options: Options, say: Say) -> None:
    upgrade = services.upgrade_start(
        actor=ACTOR,
        group=group_of(options),
        target_version=options["version"],
        max_drain_seconds=options["max_drain"],
        at_limit=options["at_limit"],
        reason=options["reason"],
    )
    say(_told(upgrade))
    while options["follow"] and upgrade.status == Upgrade.Status.RUNNING:
        time.sleep(1)
        upgrade.refresh_from_db()
        say(_told(upgrade))


def _list(options: Options, say: Say) -> None:
    rows = selectors.upgrades_of(group_of(options)).select_related("group")
    for upgrade in rows[: max(1, options["count"])]:
        say(_told(upgrade))


def _told(upgrade: Upgrade) -> str:
    told = selectors.upgrade_out(upgrade)
    steps = "  ".join(map(_step, told["steps"]))
    return (
        f"upgrade {told['id']} to {told['target_version']}: {told['status']}, "
        f"{told['done']} of {told['total']}  {steps}  {told['waits_for']}".rstrip()
    )


def _step(step: dict[str, Any]) -> str:
    """Return a step's session count, with its time if it is outdated, and the estimate if known."""
    as_of = f" as of {step['counted_at'][11:19]} UTC" if step["count_is_late"] else ""
    seconds = step["estimate_seconds"]
    left = "" if seconds is None else f", about {seconds} s left"
    return f"{step['name']}={step['status']}({step['sessions']}{as_of}{left})"


def _force(options: Options, say: Say) -> None:
    upgrade = _running(options)
    ended = services.upgrade_force(actor=ACTOR, upgrade=upgrade, reason=options["reason"])
    say(f"{ended} sessions ended")


def _abort(options: Options, say: Say) -> None:
    told = services.upgrade_abort(actor=ACTOR, upgrade=_running(options), reason=options["reason"])
    for step in selectors.upgrade_out(told)["steps"]:
        say(f"{step['name']}: {step['status']}, {step['manual_state']}")


def _running(options: Options) -> Upgrade:
    upgrade = selectors.running_upgrade(group_of(options))
    if upgrade is None:
        raise CommandError("No upgrade of this group is running.")
    return upgrade
