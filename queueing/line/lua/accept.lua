--[[ line/accept
Purpose: An agent accepts or declines the visitor that it is offered.
KEYS as line/show
ARGV[1] agent          its id
ARGV[2] visit          the one offered
ARGV[3] token          of the offer
ARGV[4] yes            1 accept, 0 decline
Reply: [answer, seq]; answer: ok, repeat, late (the offer is over by Redis' time, or its visitor is silent, and away
  from now on)
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(log n + skill sets)
Full server: runs
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
local visit, accepts = visits.read(ARGV[2] or ''), ARGV[4] == '1'
if not visit or visit.agent ~= agent.id then return desk.answer('late') end
if visit.state == 'room' and accepts then return desk.answer('repeat') end
if visit.state ~= 'offered' or visit.token ~= ARGV[3] then return desk.answer('late') end
local conf = queues.of(visit.queue)
if silence.is_over(timers.OFFER .. agent.id, conf and conf.offer_ms or 0) then
  return desk.answer('late') -- the next sweep counts the miss
end

local is_silent = silence.of_visitor(visit)
offers.drop(agent, visit)
if is_silent then
  presence.visitor_goes_away(visit)
  presence.settle(agent)
  matching.match_and_write(agent)
elseif accepts then
  rooms.begin(visit, agent, visit.word)
  matching.match_and_write(agent)
else
  offers.pass_on(agent, visit, 'declined', 'declined')
end
desk.close()
return desk.answer(is_silent and 'late' or 'ok')
