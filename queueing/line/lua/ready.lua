--[[ line/ready
Purpose: An agent ends the wrap-up early. Its slots are free at once.
KEYS as line/show
ARGV[1] agent          its id
Reply: [answer, seq, state, slots]; answer: ok
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(slots × (log n + skill sets))
Full server: runs
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
local kept = {}
for kind, id in agents.slots_of(agent) do
  if kind ~= agents.WRAP_UP then kept[#kept + 1] = kind .. id end
end
agents.set_slots(agent, kept)
timers.stop(timers.WRAP_UP .. agent.id)
desk.log('ready', 'a', agent.id)
presence.settle(agent)
matching.match_and_write(agent)
desk.close()
return agents.short_reply('ok', agent)
