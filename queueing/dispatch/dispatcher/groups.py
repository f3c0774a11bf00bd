"""Creates, recovers, configures and removes a group, and sets the manual states of its names."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.dispatch.dispatcher.reasons import check
from queueing.dispatch.dispatcher.scripts import SCRIPTS, group_command
from queueing.dispatch.dispatcher.settings import GroupSettings

MANUAL: Final = {"open": "o", "drain": "d", "blocked": "b"}
MANUAL_WORD: Final = {letter: word for word, letter in MANUAL.items()}
NAMES_LIMIT: Final = 1_000


@dataclass(frozen=True, slots=True)
class NameState:
    """The state of a name, set by operators and upgrades. manual: open, drain or blocked.

    `until_us`: when the name opens automatically. After that time it counts as open. `backup`:
    whether it gets sessions only while no primary can take them.
    """

    name: str
    manual: str = "open"
    upgrading: bool = False
    until_us: int | None = None
    backup: bool = False


def _words(names: Iterable[NameState]) -> list[str]:
    arguments = []
    for each in names:
        until = "" if each.until_us is None else str(each.until_us)
        arguments += [each.name, MANUAL[each.manual], str(int(each.upgrading)), until]
        arguments.append(str(int(each.backup)))
    return arguments


def _reason(reply: list[str]) -> str:
    return check(reply)[1]


def create(
    slug: str, generation: int, settings: GroupSettings, names: Iterable[NameState] = ()
) -> Command[str]:
    """Create the group's data. The same generation again changes nothing and returns "exists"."""
    return _create(slug, generation, settings, "o", names)


def recover(
    slug: str, generation: int, settings: GroupSettings, names: Iterable[NameState] = ()
) -> Command[str]:
    """Start a new generation after data was lost. Peers that register are asked for their sessions.

    The group opens automatically (sweep) after `disconnect_seconds`. Until then an instance gets
    new sessions only if it has reported all its sessions.
    """
    return _create(slug, generation, settings, "r", names)


def _create(
    slug: str, generation: int, settings: GroupSettings, status: str, names: Iterable[NameState]
) -> Command[str]:
    head = [str(generation), status + settings.columns(), SCRIPTS["start"].sha1]
    return group_command("create", slug, [*head, *_words(names)], _reason, head[0])


def configure(slug: str, settings: GroupSettings) -> Command[str]:
    """Write settings, which take effect immediately. Return "" or "repeat"."""
    args = [settings.columns(), SCRIPTS["start"].sha1]
    return group_command("configure", slug, args, _reason, args[0])


def destroy(slug: str, generation: int) -> Command[str]:
    """Remove the group's data and close its peers' sockets. Return "destroyed"."""
    return group_command("destroy", slug, [generation], _reason, str(generation))


@dataclass(frozen=True, slots=True)
class Changed:
    """The manual state before (open, drain, blocked), and how many sessions the change ends."""

    before: str
    ended: int
    repeat: bool


def _changed(reply: list[str]) -> Changed:
    check(reply)
    return Changed(MANUAL_WORD[reply[1]], int(reply[2]), reply[3] == "repeat")


def manual(
    slug: str, name: str, state: str, until_us: int | None = None, reason: str = ""
) -> Command[Changed]:
    """Set a name's manual state, whether or not an instance is registered under it.

    blocked: its sessions are void immediately, and the sweeps notify both ends of each session.
    """
    until = "" if until_us is None else str(until_us)
    args = [name, MANUAL[state], until, reason]
    return group_command("manual", slug, args, _changed, name)


def upgrade_flag(slug: str, name: str, on: bool, reason: str = "") -> Command[Changed]:
    """Set an upgrade's own drain, independent of the manual state. On: no new sessions."""
    return group_command("upgrade_flag", slug, [name, int(on), reason], _changed, name)


def backup(slug: str, name: str, on: bool, reason: str = "") -> Command[str]:
    """Make a name a backup, or a primary again. Its sessions continue. Return "" or "repeat"."""
    return group_command("backup", slug, [name, int(on), reason], _reason, name)


def uneject(slug: str, name: str, reason: str = "") -> Command[str]:
    """End the ejection of an instance. Return "", or "repeat" if it is not ejected."""
    return group_command("uneject", slug, [name, reason], _reason, name)


def forget_name(slug: str, name: str) -> Command[str]:
    """Remove a name. Refused ("in use") while an instance is registered under it."""
    return group_command("forget_name", slug, [name], _reason, name)
