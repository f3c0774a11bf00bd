"""The seed's own number pool: a LIST of ready numbers, a HASH of states as JSON, one script.

It is the reference of rows 3 and 24, in the seed's manner and with its key names: `call` takes
the head of the list, each event reads and writes its number's JSON by cjson. The seed's text shows
only `unreg`; the other events follow its table of states. `add` and `del` are left out: no row
sends them.
"""

from collections.abc import Sequence

import redis

IDLE, STATES = "{numpool}:idle:up", "{numpool}:numstate"
UP = '{"callstate":0,"regstate":1}'
SCRIPT = """
local eventtype, number = ARGV[1], ARGV[2]
if 'call' == eventtype then
    number = redis.call('LPOP', '{numpool}:idle:up')
end
local statejson = number and redis.call('HGET', '{numpool}:numstate', number)
if not statejson then return '0' end
local state = cjson.decode(statejson)
local idle, up = 0 == state.callstate, 1 == state.regstate
if 'call' == eventtype and idle and up then
    state.callstate = 1
elseif 'hangup' == eventtype and not idle then
    state.callstate = 0
    if up then redis.call('RPUSH', '{numpool}:idle:up', number) end
elseif 'reg' == eventtype and not up then
    state.regstate = 1
    if idle then redis.call('RPUSH', '{numpool}:idle:up', number) end
elseif 'unreg' == eventtype and up then
    state.regstate = 0
    if idle then redis.call('LREM', '{numpool}:idle:up', -1, number) end
elseif 'call' == eventtype or 'hangup' == eventtype then
    return '0'
end
redis.call('HSET', '{numpool}:numstate', number, cjson.encode(state))
return 'call' == eventtype and number or '1'
"""


def fill(client: redis.Redis, numbers: Sequence[str]) -> str:
    """Add the numbers, all ready. Return the script's SHA-1."""
    for start in range(0, len(numbers), 10_000):
        part = numbers[start : start + 10_000]
        client.rpush(IDLE, *part)
        client.hset(STATES, mapping=dict.fromkeys(part, UP))
    return str(client.script_load(SCRIPT))


def words(sha: str, event: str, *number: str) -> tuple[object, ...]:
    """Return an event as the arguments of its EVALSHA."""
    return ("EVALSHA", sha, 1, "{numpool}", event, *number)
