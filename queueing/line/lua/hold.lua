--[[ line/hold
Purpose: Keeps the place of a visitor who is away for a given time from now, instead of the queue's grace time. Nothing
  else changes: matching passes over visitors who are away, and one who returns has the same place.
KEYS as line/show
ARGV[1] visit          its id
ARGV[2] hold_ms        from now, 1 to 3 600 000
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word], as line/place
Errors: "no such desk", "script outdated …", "malformed hold"
Complexity: O(log n)
Full server: runs
Version: 1
]]
local LONGEST_MS = 3600000
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local hold_ms = whole(ARGV[2] or '', 1, LONGEST_MS)
if not hold_ms then return { 'malformed hold' } end
local visit = visits.read(ARGV[1])
if not visit then return desk.answer('gone') end
local name = timers.VISITOR .. visit.id
if visit.state == 'away' and (timers.due(name) or 0) + 0 < desk.now_ms + hold_ms then
  timers.start(name, hold_ms)
end
return visits.reply(visit)
