--[[ line/agents
Purpose: A part of the agents with their states.
KEYS[1] {line.desk}           HASH    settings, generation, seq, skills, counters
KEYS[2] {line.desk}:queues    HASH    queue → settings
KEYS[3] {line.desk}:visits    HASH    visit → state
KEYS[4] {line.desk}:agents    HASH    agent → state
KEYS[5] {line.desk}:waiting   ZSET    everybody in a queue, in order
KEYS[6] {line.desk}:ready     ZSET    those of them who can be matched
KEYS[7] {line.desk}:free      ZSET    agents who can take a visitor, per queue
KEYS[8] {line.desk}:timers    ZSET    what time brings, by ms
KEYS[9] {line.desk}:log       STREAM  one entry per change
KEYS[10] {line.desk}:calls    ZSET    visits with a call back, by the ms at which it is looked at
ARGV[1] cursor         0 at first, then as the reply said
ARGV[2] count          roughly how many, 1 to 1 000
Reply: [cursor, seq, now ms], then pairs: agent, state as stored
Errors: "no such desk", "script outdated …", "malformed count"
Complexity: O(count)
Version: 1
]]
--@include open
local count_ = tonumber(ARGV[2])
if not find(ARGV[1] or '', '^%d+$') or not count_ or count_ < 1 or count_ > 1000 or count_ % 1 ~= 0 then return { 'malformed count' } end
local page = call('HSCAN', AGENTS, ARGV[1], 'COUNT', count_)
local reply = { page[1], int(seq), int(now_ms) }
for i = 1, #page[2] do reply[i + 3] = page[2][i] end
return reply
