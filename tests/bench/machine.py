"""Whether this machine is fast enough for absolute limits to mean something."""

import re
import shutil
import subprocess
from functools import cache

from tests.bench.pools import private_redis
from tests.bench.redis_cpu import NO_OP
from tests.bench.result import Verdict

NEEDED_PER_SECOND = 80_000
CLIENTS = 50
COMMANDS = 200_000


@cache
def no_op_per_second() -> float:
    """Return EVALSHAs of `return 1` per second, 50 clients unpipelined; 0 without a program."""
    program = shutil.which("redis-benchmark") or shutil.which("valkey-benchmark")
    if program is None:
        return 0.0
    with private_redis() as client:
        sha = client.script_load(NO_OP)
        socket = client.connection_pool.connection_kwargs["path"]
        done = subprocess.run(
            [
                *(program, "-s", socket, "-c", str(CLIENTS), "-n", str(COMMANDS), "-q"),
                *("EVALSHA", sha, "1", "{bench}"),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    rates = re.findall(r"([\d.]+) requests per second", done.stdout)
    return float(rates[-1])


def judged_here(passed: bool) -> Verdict:
    """Return the verdict on an absolute limit: "not judged" where the machine is too slow."""
    if no_op_per_second() < NEEDED_PER_SECOND:
        return "not judged"
    return "pass" if passed else "short"


def machine_note() -> str:
    """Return a line about the machine for the notes of an absolute row."""
    return f"no-op EVALSHA, {CLIENTS} clients unpipelined: {no_op_per_second():,.0f}/s"
