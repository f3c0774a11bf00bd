--[[ line/agent_beat
Purpose: An agent's heartbeat. One who was away returns to its earlier state, and gets visitors for each free slot.
KEYS as line/show
ARGV[1] agent          its id
Reply: [answer, seq, state, pending, slots, word, token of the offer]; answer: ok, gone (no such agent), offline
Errors: "no such desk", "script outdated …"
Complexity: O(log n); of one who comes back O(slots × (log n + skill sets))
Full server: runs
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
if agent.state == 'offline' then return agents.reply('offline', agent) end
presence.beat_agent(agent)
if not agent.away then return agents.reply('ok', agent) end
presence.agent_comes_back(agent)
matching.match_and_write(agent)
desk.tell('agent', '-', agent.id)
desk.close()
return agents.reply('ok', agent)
