"""What Redis itself spends: CPU per EVALSHA or FCALL, so that the client does not decide a row."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import redis

NO_OP = "return 1"
PIPELINE_COMMANDS = 500


@dataclass(frozen=True)
class CommandCost:
    """The cost of a run of calls, in microseconds of Redis' own time for each call."""

    calls: int
    commandstats_us: float
    used_cpu_us: float

    def per(self, count: int) -> "CommandCost":
        """Return the same cost for each of `count` items that the calls have processed together."""
        share = self.calls / count
        return CommandCost(count, self.commandstats_us * share, self.used_cpu_us * share)


def used_cpu_seconds(client: redis.Redis) -> float:
    """Return the CPU seconds that the server has used so far, including reading its sockets."""
    info = client.info("cpu")
    return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])


def measure_calls(
    client: redis.Redis, send_all: Callable[[], None], command: str = "evalsha"
) -> CommandCost:
    """Run `send_all` and return what its calls cost Redis: EVALSHAs, or with "fcall" FCALLs."""
    client.config_resetstat()
    cpu_before = used_cpu_seconds(client)
    send_all()
    cpu_after = used_cpu_seconds(client)
    stats = client.info("commandstats")[f"cmdstat_{command}"]
    if stats["failed_calls"] or stats["rejected_calls"]:
        raise AssertionError(f"{command} failed: {stats}")
    calls = int(stats["calls"])
    return CommandCost(
        calls=calls,
        commandstats_us=stats["usec"] / calls,
        used_cpu_us=(cpu_after - cpu_before) * 1e6 / calls,
    )


def send_pipelined(client: redis.Redis, commands: Iterable[Sequence[object]]) -> list[object]:
    """Send `commands` in pipelines of 500 and return all replies. Raise on an error reply."""
    replies: list[object] = []
    pipeline = client.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
        if len(pipeline) >= PIPELINE_COMMANDS:
            replies += pipeline.execute()
    return replies + pipeline.execute()


def no_op_cost(
    client: redis.Redis, words: Sequence[object] = (1, "{bench}"), calls: int = 50_000
) -> CommandCost:
    """Return what an EVALSHA that does nothing costs in this run: the least of three tries.

    words: the number of keys, the keys, the arguments. By default a single key.
    """
    command = ("EVALSHA", client.script_load(NO_OP), *words)
    return min(
        (
            measure_calls(
                client, lambda: void(send_pipelined(client, (command for _ in range(calls))))
            )
            for _ in range(3)
        ),
        key=lambda cost: cost.commandstats_us,
    )


def void(_: object) -> None:
    """Discard a result where a callable must return None."""
