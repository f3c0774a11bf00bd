--[[ line/login
Purpose: An agent comes online, or continues after a pause, and gets visitors for each free slot. A repeat returns the
  same rooms.
KEYS as line/show
ARGV[1] agent          its id
Reply: [answer, seq, state, pending, slots, word, token of the offer]; answer: ok
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(slots × (log n + skill sets))
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
if agent.state == 'offline' then
  agent.state, agent.login, agent.since, agent.misses = 'online', desk.at_ms, desk.at_ms, 0
  agents.set_slots(agent, {})
  desk.log('login', 'a', agent.id)
  presence.count_online(agent, 1)
elseif agent.state == 'paused' then
  agent.state, agent.since, agent.misses = 'online', desk.at_ms, 0
  desk.log('resume', 'a', agent.id)
elseif agent.pending ~= 'nothing' then
  desk.log('resume', 'a', agent.id)
end
agent.pending, agent.word = 'nothing', '-'
presence.agent_comes_back(agent)
presence.beat_agent(agent)
matching.match_and_write(agent)
desk.tell('agent', '-', agent.id)
desk.close()
return agents.reply('ok', agent)
