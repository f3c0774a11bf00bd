"""What pages and the API read about groups, peers, sessions and upgrades, limited by tenant."""

from queueing.dispatch.selectors.events import (
    event_words,
    older_than,
    place_of,
    place_told,
    reason_told,
    reason_words,
    story,
    story_lines,
    story_of,
)
from queueing.dispatch.selectors.groups import (
    GROUPS,
    GroupNow,
    figures_of,
    group_out,
)
from queueing.dispatch.selectors.peers import front_counts, peers_of
from queueing.dispatch.selectors.sessions import session_out, session_row_out, session_story
from queueing.dispatch.selectors.upgrades import running_upgrade, upgrade_out, upgrades_of

__all__ = [
    "GROUPS",
    "GroupNow",
    "event_words",
    "figures_of",
    "front_counts",
    "group_out",
    "older_than",
    "peers_of",
    "place_of",
    "place_told",
    "reason_told",
    "reason_words",
    "running_upgrade",
    "session_out",
    "session_row_out",
    "session_story",
    "story",
    "story_lines",
    "story_of",
    "upgrade_out",
    "upgrades_of",
]
