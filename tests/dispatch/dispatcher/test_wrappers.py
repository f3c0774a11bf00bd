"""Each Lua file has its command, and each command passes what the file's header requires."""

import inspect
from typing import Any

from poolsite.hotpath import Command
from queueing.dispatch import dispatcher

SETTINGS = dispatcher.GroupSettings()
NAMES = [dispatcher.NameState("as-1"), dispatcher.NameState("as-2", "drain", True, 5)]
SENDER = ("g", "f:a", "link", 7)
COMMANDS: dict[str, Command[Any]] = {
    "create": dispatcher.create("g", 5, SETTINGS, NAMES),
    "recover": dispatcher.recover("g", 5, SETTINGS, NAMES),
    "configure": dispatcher.configure("g", SETTINGS),
    "destroy": dispatcher.destroy("g", 5),
    "manual": dispatcher.manual("g", "as-1", "drain", 5, "why"),
    "upgrade_flag": dispatcher.upgrade_flag("g", "as-1", True),
    "backup": dispatcher.backup("g", "as-1", True, "why"),
    "uneject": dispatcher.uneject("g", "as-1", "why"),
    "forget_name": dispatcher.forget_name("g", "as-1"),
    "offer": dispatcher.offer("g"),
    "register_front": dispatcher.register_front("g", "a", "BICC", "boot", "link", "web"),
    "register_back": dispatcher.register_back(
        *("g", "b1", "b1", "boot", "as-1", "1.0", 5, 1, "link", "web")
    ),
    "heard": dispatcher.heard("g", "web", [("f:a", "link", 0), ("b:b1", "link", 0)]),
    "lost": dispatcher.lost("g", "f:a", "link", "closed"),
    "disconnect": dispatcher.disconnect("g", "f:a", "why"),
    "ack": dispatcher.ack("g", "f:a", "link", 3),
    "sweep": dispatcher.sweep("g"),
    "start": dispatcher.start(*SENDER, "1"),
    "message": dispatcher.message(*SENDER, "a/1"),
    "end": dispatcher.end(*SENDER, "a/1"),
    "deliver": dispatcher.deliver(*SENDER),
    "clear": dispatcher.clear(*SENDER),
    "end_session": dispatcher.end_session("g", "a/1", "why"),
    "route": dispatcher.route("g", "a/1"),
    "sessions_of": dispatcher.sessions_of("g", "f:a"),
    "resync": dispatcher.resync("g", "f:a", "link", [("a/1", "", None)], True),
    "explain": dispatcher.explain("g", "a/1"),
    "show": dispatcher.show("g"),
    "peers": dispatcher.peers("g"),
    "names": dispatcher.names("g"),
    "outbox": dispatcher.outbox("g", "f:a", "link", 1),
}
# What can be repeated after a lost reply: by its number, its link, or because it sets a state.
# A registration cannot: the second would take over from the first. The peer tries again itself.
ONCE = {"register_front", "register_back", "show", "peers", "names"}


def test_every_script_has_its_command_and_every_command_its_script() -> None:
    assert {command.script.name for command in COMMANDS.values()} == set(dispatcher.SCRIPTS)
    functions = {
        name
        for name in dispatcher.__all__
        if inspect.isfunction(its := getattr(dispatcher, name))
        and "Command[" in str(inspect.signature(its).return_annotation)
    }
    assert functions == set(COMMANDS)


def test_every_command_gives_the_arguments_of_the_header() -> None:
    for name, command in COMMANDS.items():
        script = command.script
        if script.more_arguments:
            assert len(command.args) >= len(script.arguments), name
        else:
            assert len(command.args) == len(script.arguments), name
        assert command.keys == script.keys_of(dispatcher.GroupKeys("g").tag)


def test_what_may_be_repeated_after_a_lost_reply() -> None:
    assert {name for name, command in COMMANDS.items() if command.operation_id is None} == ONCE
