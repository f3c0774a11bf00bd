--[[ line/finish
Purpose: An agent ends a room; after the wrap-up the slot takes the next visitor in the same step.
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
ARGV[2] visit          of the room
ARGV[3] by             who, for the history
Reply: [answer, seq, state, slots]; answer: ok, repeat (it has ended), not_yours
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(queues × log n + skill sets)
Version: 1
]]
--@include open
--@include finish_plain
--@include records
--@include matching
--@include moves

local a = agent_of(ARGV[1])
if not a then return { 'gone', int(seq) } end
local v = visit_of(ARGV[2] or '')
if not v or (v.state == 'e' and v.agent == a.id) then return { 'repeat', int(seq), a.state, a.slots } end
if v.state ~= 'r' or v.agent ~= a.id then return { 'not_yours', int(seq), a.state, a.slots } end
end_visit(v, 'served', ARGV[3])
free_slot(a, v, true)
match_agent(a)
keep_agent(a)
--@include close
return { 'ok', int(seq), a.state, a.slots }
