"""Row 22: everything at once, as on many machines; one process of each kind is killed in turn.

Load: that of `make chaos` (docs/reference/performance/chaos.md): calls, messages, gates, desks and
sessions of the dispatcher at once, for ten minutes, through nginx. Servers: a Redis Cluster of
three masters (appendfsync always) and one Redis for cache, channels and broker; PostgreSQL (fsync
on) behind PgBouncer; four web processes, three workers of two processes, two timers, one beat.
Killed with SIGKILL: web, worker, timers, beat, a master, the broker's Redis, PostgreSQL, PgBouncer,
nginx; each once, then at random. Rates, times and errors are those of nginx's access log; calm:
while no fault lasts. Checked: what `make chaos` checks after each fault and at the end, so nothing
acknowledged is lost. Left out: TLS, the network between machines, replicas.
"""

import os
import tempfile
from pathlib import Path

from tests.bench import access_log
from tests.bench.result import Row
from tests.chaos.__main__ import Campaign, in_words
from tests.chaos.many_machines import ManyMachines

KILLED = (
    *("kill_web", "kill_worker", "kill_timers", "kill_beat"),
    *("kill_redis", "kill_broker", "kill_postgres", "kill_pooler", "kill_nginx"),
)
SECONDS = 600.0
CALM_SECONDS = 50.0
MARK = "nothing acknowledged lost"


def run() -> Row:
    """Run the campaign. Raise for the first loss, or the first fault that did not heal."""
    seconds = float(os.environ.get("SECONDS") or SECONDS)
    seed = int(os.environ.get("SEED") or 22)
    stack = ManyMachines(Path(tempfile.mkdtemp(prefix="poolsite-many-", dir="/tmp")), seed=seed)
    campaign = Campaign(seed, seconds, KILLED, min(CALM_SECONDS, seconds / len(KILLED)))
    try:
        stack.start()
        campaign.run(stack)
        requests = access_log.read(stack.access_log)
    finally:
        stack.stop()
    row = _row(campaign, requests)
    stack.remove()
    return row


def _row(campaign: Campaign, requests: list[access_log.Request]) -> Row:
    loaded = [request for request in requests if request.at <= campaign.hurt[-1][1]]
    lasted = loaded[-1].at - loaded[0].at
    figures = {
        name: served.figures(lasted)
        for name, served in access_log.by_system(loaded, campaign.hurt).items()
    }
    total = figures["all"]
    healed = {name: round(max(seconds), 1) for name, seconds in campaign.healed.items()}
    return Row(
        row="22",
        name="everything at once, one of each kind killed in turn",
        ours=(
            f"{total['per_second']:.0f} requests/s, p99 {total['p99_ms']} ms"
            f" (calm {total['calm_p99_ms']})"
        ),
        reference="-",
        ratio=None,
        mark=MARK,
        verdict="pass",
        notes=(
            f"{len(campaign.hurt)} kills; healed at the latest after, in s: {healed};"
            f" errors by status: {total['errors']} of {total['requests']} requests;"
            f" acknowledged and in SQL: {in_words(campaign.acknowledged)}"
        ),
        figures={"systems": figures, "healed_s": campaign.healed, **campaign.acknowledged},
    )
