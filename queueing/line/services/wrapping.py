"""Extensions of an agent's wrap-up."""

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import Agent
from queueing.line.services.common import REBUILT

REFUSED = {
    "late": ("wrap-up-over", "The wrap-up has ended."),
    "limit": ("wrap-up-limit", "This wrap-up has been extended as far as it can be."),
    "gone": ("unknown-agent", "Agent not found at this desk."),
}


def agent_more_time(agent: Agent, until_ms: int) -> commands.MoreTime:
    """Extend the agent's wrap-up that ends at `until_ms` by 30 s. Idempotent for the same end.

    Raise LineError wrap-up-over or wrap-up-limit.
    """
    found = hotpath.run(commands.more_time(agent.desk.slug, agent.user_id, until_ms))
    if not found.ok:
        raise LineError(*REFUSED.get(found.answer, REBUILT))
    return found
