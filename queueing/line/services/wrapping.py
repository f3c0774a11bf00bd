"""More time for a wrap-up."""

from poolsite import hotpath
from queueing.line import desk as door
from queueing.line.errors import LineError
from queueing.line.models import Agent

REFUSED = {
    "late": ("wrap-up-over", "The wrap-up has ended."),
    "limit": ("wrap-up-limit", "This wrap-up has been extended as far as it can be."),
    "gone": ("unknown-agent", "Agent not found at this desk."),
}


def agent_more_time(agent: Agent, until_ms: int) -> door.MoreTime:
    """30 s more for the agent's wrap-up that ends then; the same end again is the same wish.

    LineError: wrap-up-over, wrap-up-limit.
    """
    found = hotpath.run(door.more_time(agent.desk.slug, agent.user_id, until_ms))
    if not found.ok:
        raise LineError(*REFUSED.get(found.answer, ("unavailable", found.answer)))
    return found
