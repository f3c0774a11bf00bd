--[[ line/pause
Purpose: An agent pauses or logs out. With a room, this takes effect when the last room ends.
KEYS as line/show
ARGV[1] agent          its id
ARGV[2] what           p pause, l log out, k log out at once (a supervisor): rooms go back to the line
ARGV[3] reason         a word
Reply: [answer, seq, state, pending, slots, word, token of the offer]; answer: ok, offline
Errors: "no such desk", "script outdated …", "gone" (no such agent), "malformed what"
Complexity: O(slots × (log n + skill sets))
Full server: runs
Version: 1
]]
-- An agent asks for a pause or a log-out. An offer that it has not taken goes to somebody else. The caller writes it.
local function ask(agent, pending, reason)
  agent.word = reason
  local visit = agent.offered and visits.read(agent.offered)
  if visit then
    offers.drop(agent, visit)
    agent.pending = pending
    agents.write(agent)
    rooms.requeue(visit, 'withdrawn', 'agent_pauses')
    matching.match_visit(visit)
  end
  agent.pending = pending
  desk.log('asked', 'a', agent.id, 'w', reason, 'p', agents.PENDING_LETTER[pending])
  presence.settle(agent)
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
local what, reason = ARGV[2], words.one_or(ARGV[3], '-')
if what ~= 'p' and what ~= 'l' and what ~= 'k' then return { 'malformed what' } end
if agent.state == 'offline' then return agents.reply('offline', agent) end
if what == 'p' and agent.state == 'paused' then
  agent.word = reason
  desk.log('pause', 'a', agent.id, 'w', reason)
elseif what == 'k' then
  timers.stop(timers.AGENT .. agent.id, timers.OFFER .. agent.id, timers.WRAP_UP .. agent.id)
  presence.take_offline(agent, 'logout', reason, 'agent_logged_out')
else
  ask(agent, agents.PENDING[what], reason)
end
agents.write(agent)
desk.close()
return agents.reply('ok', agent)
