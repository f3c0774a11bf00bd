"""The lists of rights are those of the scripts, so they cannot become outdated."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from numbers import pool
from numbers.pool import switch_user
from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.pool_support import SLUG, pool_on
from tests.numbers.test_pool_model import PoolMachine
from tests.numbers.test_switch_user import PASSWORD, every_command
from tests.support.clock import KEY as CLOCK
from tests.support.clock import ScriptClock

OF_SWITCHES = {f"numbers/{name}" for name in pool.SWITCH_SCRIPTS}


class SwitchPath(hotpath.HotPath):
    """Sends what a switch may send by its own user, the rest by the default user."""

    def __init__(self, server: RedisServer, name: str) -> None:
        super().__init__(server.url)
        url = server.url.replace("unix://", f"unix://{name}:{PASSWORD.replace(' ', '%20')}@")
        self.switch = hotpath.HotPath(url)
        self.sent: set[str] = set()
        self.load_scripts()

    def run_batch(self, commands: Sequence[hotpath.Command[Any]]) -> list[Any]:
        return [self._one(command) for command in commands]

    def _one(self, command: hotpath.Command[Any]) -> Any:
        if command.script.title not in OF_SWITCHES:
            return super().run_batch([command])[0]
        self.sent.add(command.script.title)
        return self.switch.run_batch([command])[0]


def test_random_histories_are_the_models_with_these_rights(
    test_clock: ScriptClock, redis_server: RedisServer
) -> None:
    """Also in rarely taken branches no command is called that is not on the list."""
    user = switch_user.switch_user(SLUG, "fs-01", PASSWORD)
    with pool_on(redis_server.url, test_clock) as bench:
        rules = (*user.rules, "+get", "~" + CLOCK)
        bench.client.execute_command("ACL", "SETUSER", user.name, *rules)
        bench.path.close()
        bench.path = path = SwitchPath(redis_server, user.name)
        machine = type("Bound", (PoolMachine,), {"bench": bench, "clock": test_clock})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=20,
                stateful_step_count=50,
                suppress_health_check=list(HealthCheck),
            ),
        )
        path.switch.close()
        bench.client.acl_deluser(user.name)
    assert path.sent >= {"numbers/event", "numbers/live_list", "numbers/release"}


def test_the_commands_are_those_that_the_texts_name(redis_server: RedisServer) -> None:
    """Found in another way: every quoted word that the server knows as a command."""
    with redis_server.client() as client:
        known = {words[0] for words in every_command(client)}
    texts = "".join(pool.SCRIPTS[name].text for name in pool.SWITCH_SCRIPTS)
    quoted = {word.lower() for word in re.findall(r"'([A-Z]{3,})'", texts)}
    assert quoted & known == set(switch_user.commands()) - set(switch_user.CONNECTION)


def test_the_rights_that_a_script_tries_are_those_of_the_list() -> None:
    for name in pool.SWITCH_SCRIPTS:
        script = pool.SCRIPTS[name]
        tried = {word.lower() for word in re.findall(r"may\('([A-Z]+)'", script.text)}
        called = hotpath.commands_of(script)
        # TIME and HMGET come first: nothing is written then. PUBLISH may be refused at any time.
        assert called - {"time", "hmget", "publish"} <= tried, name
        assert tried <= set(switch_user.commands()), name


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    header = (
        "--[[ numbers/odd\nPurpose: x\nKEYS[1] {pool} HASH x\nReply: x\nErrors: x\n"
        "Complexity: x\nVersion: 1\n]]\n"
    )
    for body, reason in (
        ("redis.call(ARGV[1], KEYS[1])", "not a plain text"),
        ("local call = redis.call\nlocal f = { call }", "as a value"),
        ("return pcall(redis.call, 'GET', KEYS[1])", "as a value"),
        ("redis.call('PUBLISH', ARGV[1], '')", "known only when it runs"),
    ):
        path = tmp_path / "odd.lua"
        path.write_text(header + body)
        script = hotpath.scripts.read_script("numbers", path)
        with pytest.raises(hotpath.ScriptHeaderError, match=reason):
            hotpath.channels_of(script, "{x}")


@pytest.mark.parametrize("name", ["", "a b", "a~b", "x" * 65, "käse", "a\n+@all"])
def test_a_name_that_could_be_read_as_a_rule_is_refused(name: str) -> None:
    with pytest.raises(ValueError):
        switch_user.switch_user(SLUG, name, PASSWORD)
