--[[ line/agent_state
Purpose: Reads the state of an agent. Changes nothing.
KEYS as line/show
ARGV[1] agent          its id
Reply: [answer, seq, state, pending, slots, word, token of the offer]; answer: ok, gone (no such agent)
Errors: "no such desk", "script outdated …"
Complexity: O(1)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local agent = agents.read(ARGV[1])
if not agent then return desk.answer('gone') end
return agents.reply('ok', agent)
