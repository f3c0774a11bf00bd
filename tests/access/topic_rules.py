"""Who may watch which topic, written down independently of the code: a row for each topic.

A topic without a row fails `test_every_topic`. `open`: the reader gets a snapshot. Otherwise: the
code of the refusal. The rows state the answers about objects of a reader's own tenant. Another
tenant, and anyone asking about an object that doesn't exist, gets 4404 by the general rule.
"""

from dataclasses import dataclass

from poolsite.access.models import Role
from tests.access.topic_world import TOKENS

ROLES = tuple(Role.values)
OPERATORS = ("looker", "operate", "finance", "supervise")


@dataclass(frozen=True)
class TopicRule:
    """A row. `members`: the roles that may watch. The account's other roles get 4403.

    account: the key is an account's ID or `all`, which only operators may watch.
    visitor: what the visitor who waits at the tenant's desk gets.
    missing: a key without an object.
    """

    members: tuple[str, ...]
    missing: str = "nothing"
    tokens: bool = True
    account: bool = False
    visitor: str = "4404"


VIEWERS = ("owner", "admin", "supervisor")
MANAGERS = ("owner", "admin")
PAYERS = ("owner", "admin", "payer", "sender")
AT_DESK = (*VIEWERS, "agent")

VIEWED = TopicRule(VIEWERS)
NUMBERED = TopicRule(VIEWERS, missing="99999")
LISTED = TopicRule(VIEWERS, missing="99999", account=True)
PAID = TopicRule(PAYERS)
BY_AGENTS = TopicRule(AT_DESK, visitor="4403")
# Agents read the visits that they serve. The world's visitor is still waiting.
OF_A_VISIT = TopicRule(VIEWERS, visitor="4403")
BY_VISITORS = TopicRule(AT_DESK, visitor="open")
TOLD_MANAGERS = TopicRule(MANAGERS, missing="99999", account=True, tokens=False)

RULES = {
    "admission.batch": NUMBERED,
    "admission.batches": VIEWED,
    "admission.gate": VIEWED,
    "admission.gates": LISTED,
    "admission.holders": VIEWED,
    "admission.line": VIEWED,
    "billing.campaign": TopicRule(PAYERS, missing="nothing.1"),
    "billing.figures": PAID,
    "billing.wallet": PAID,
    "dispatch.group": VIEWED,
    "dispatch.groups": LISTED,
    "dispatch.peers": VIEWED,
    "dispatch.upgrade": NUMBERED,
    "jobs.job": TopicRule(MANAGERS, missing="99999", tokens=False),
    "line.agent": TopicRule(AT_DESK, missing="99999", visitor="4403"),
    "line.desk": TopicRule(VIEWERS, visitor="4403"),
    "line.desks": LISTED,
    "line.floor": TopicRule(VIEWERS, visitor="4403"),
    "line.queue": BY_VISITORS,
    "line.room": OF_A_VISIT,
    "line.talk": TopicRule(VIEWERS, visitor="open"),
    "line.visit": TopicRule(VIEWERS, visitor="open"),
    "line.waiting": BY_AGENTS,
    "numbers.number": TopicRule(VIEWERS, missing="+8613700000000"),
    "numbers.pool": VIEWED,
    "numbers.pools": LISTED,
    "numbers.tiles": TopicRule(VIEWERS, missing="nothing:0"),
    "operations.incidents": TOLD_MANAGERS,
    "operations.webhooks": TopicRule(MANAGERS, missing="99999", account=True),
    "operations.overview": TOLD_MANAGERS,
}
# One state for all operators, whatever the tenant.
FOR_OPERATORS = {"billing.books", "billing.flagged", "operations.system"}


def expected(person: str, rule: TopicRule, tenant: str) -> str:
    """Return a person's answer for an object of `own`, `other`, `platform`, or a `missing` one."""
    if person in OPERATORS:
        return "4404" if tenant == "missing" and not rule.account else "open"
    if tenant == "platform" and rule.account:
        return "4403"  # "all" belongs to no tenant: it exists, for operators
    if person == "token":
        if tenant == "missing" and not rule.account:
            return "4404"
        return "open" if rule.tokens else "4403"
    home = {"foreign": "other", "other token": "other", "roleless": ""}.get(person, "own")
    if tenant != home:
        return "4404"
    if person == "visitor":
        return rule.visitor
    if person in TOKENS:
        return "open" if rule.tokens else "4403"
    role = "owner" if person == "foreign" else person
    return "open" if role in rule.members else "4403"


# Keys of no topic: case, other alphabets, wildcards, paths, control characters, odd numbers.
MALFORMED = (
    *(
        "",
        "..",
        "../own-thing",
        "own-thing/..",
        "OWN-THING",
        "Own-Thing",
        "*",
        "own-*",
        "own%",
        "%",
    ),
    *("own-thing\0", "\0", "own-thing\n", " own-thing", "own-thing ", "own_thing", "оwn-thing"),
    *("own-thing\u200b", "own\u2011thing", "ＯＷＮ", "１", "-1", "1.5", "1e3", "0x1", "9" * 60),
    *("own-thing.zh-hans.zh-hans", "all.xx", "{own-thing}", "own-thing,other-thing", "x" * 190),
)
UNKNOWN = (
    *("numbers.POOL:own-thing", "Numbers.pool:own-thing", "numbers.*:own-thing", "*:own-thing"),
    *("numbers.pool", ":own-thing", "numbers.pool\0:own-thing", "numbers.pool：own-thing"),
    *("numbers/pool:own-thing", "../numbers.pool:own-thing", "личное:own-thing", "x" * 201),
)
