--[[ line/finish
Purpose: An agent ends a room. After the wrap-up, the slot takes the next visitor in the same step.
KEYS as line/show
ARGV[1] agent          its id
ARGV[2] visit          of the room
ARGV[3] by             who, for the history
Reply: [answer, seq, state, slots]; answer: ok, repeat (it has ended), not_yours
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(queues × log n + skill sets)
Full server: runs
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
local visit = visits.read(ARGV[2] or '')
if not visit or (visit.state == 'ended' and visit.agent == agent.id) then return agents.short_reply('repeat', agent) end
if visit.state ~= 'room' or visit.agent ~= agent.id then return agents.short_reply('not_yours', agent) end
rooms.end_visit(visit, 'served', ARGV[3])
rooms.free_slot(agent, visit, true)
matching.match_and_write(agent)
desk.close()
return agents.short_reply('ok', agent)
