--[[ line/agents
Purpose: Reads a part of the agents with their states.
KEYS as line/show
ARGV[1] cursor         0 at first, then as the reply said
ARGV[2] count          roughly how many, 1 to 1 000
Reply: [cursor, seq, now ms], then triples: agent, state as stored, ms when it was last heard (0: offline)
Errors: "no such desk", "script outdated …", "malformed count"
Complexity: O(count × log n)
Version: 1
]]
local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local cursor, count = ARGV[1], words.count(ARGV[2])
if not words.is_cursor(cursor) or not count then return { 'malformed count' } end
local next_cursor, page = unpack(redis.call('HSCAN', desk.tag .. ':agents', cursor, 'COUNT', count))
local reply = { next_cursor, int(desk.seq), desk.at_ms }
for place = 1, #page, 2 do
  local agent = agents.parse(page[place], page[place + 1])
  for _, word in ipairs({ agent.id, page[place + 1], presence.heard_ms(agent) }) do reply[#reply + 1] = word end
end
return reply
