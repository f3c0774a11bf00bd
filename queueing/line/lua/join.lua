--[[ line/join
Purpose: A visitor joins: a room, an offer or the line, or is refused. A visitor who has already joined keeps its place.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] queue          its id
ARGV[3] class          1 (first) to 9
ARGV[4] skills         "name:level,…" in order of names, or ""
ARGV[5] arrived        µs since 1970 by a token that proves it, or ""
ARGV[6] anyway         1 = waits though no agent is there (a token was shown)
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: waiting, away, offered, room, ended,
  or a refusal: no_agent, closed, full
Errors: "no such desk", "script outdated …", "no such queue", "malformed …"
Complexity: O(log n + skill sets), for each of at most 20 silent agents that are passed over
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local reply = joining.join(ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or '', ARGV[5] or '', ARGV[6] or '')
desk.close()
return reply
