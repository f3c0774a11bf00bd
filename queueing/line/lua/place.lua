--[[ line/place
Purpose: Reads the place of a visit. Changes nothing.
KEYS as line/show
ARGV[1] visit          its id
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: waiting, away, offered, room, ended,
  gone
Errors: "no such desk", "script outdated …"
Complexity: O(log n)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local visit = visits.read(ARGV[1])
if not visit then return desk.answer('gone') end
return visits.reply(visit)
