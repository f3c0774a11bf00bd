--[[ line/agent_beat
Purpose: An agent is there; one who was away is back as before, and gets visitors for each free slot.
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
ARGV[1] agent          its id
Reply: [answer, seq, state, pending, slots, word, token of the offer]; answer: ok, gone (no such agent), offline
Errors: "no such desk", "script outdated …"
Complexity: O(log n); of one who comes back O(slots × (log n + skill sets))
Version: 1
]]
--@include open
--@include records
local a = agent_of(ARGV[1])
if not a then return { 'gone', int(seq) } end
if a.state == 'x' then return agent_reply('offline', a) end
beats('a' .. a.id, a.ttl)
if not a.away then return agent_reply('ok', a) end
--@include matching
--@include moves
agent_here(a)
match_agent(a)
keep_agent(a)
tell('agent', '-', a.id)
--@include close
return agent_reply('ok', a)
