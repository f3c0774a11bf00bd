--[[ line/beat
Purpose: A visitor's heartbeat, while waiting or in a room. One who was away returns to the same place. A desk whose
  data is not reliable yet (promoted, or its visits not loaded) knows no visitor: SQL answers.
KEYS as line/show
ARGV[1] visit          its id
Reply: [answer, seq, ahead, agent, queue, class, ticket, joined, word]; answer: waiting, away, offered, room, ended,
  gone
  (word then: recovering, or nothing)
Errors: "no such desk", "script outdated …"
Complexity: O(log n + skill sets)
Full server: runs
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
if not desk.is_believed() then return visits.recovering() end
local visit = visits.read(ARGV[1])
if not visit then return desk.answer('gone') end
if visit.state ~= 'ended' then
  presence.welcome_visitor(visit)
  desk.close()
end
return visits.reply(visit)
