--[[ line/ready
Purpose: An agent is done with the wrap-up before its time: its slots are free at once.
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
Reply: [answer, seq, state, slots]; answer: ok
Errors: "no such desk", "script outdated …", "gone" (no such agent)
Complexity: O(slots × (log n + skill sets))
Version: 1
]]
--@include open
--@include records
--@include matching
--@include moves

local a = agent_of(ARGV[1])
if not a then return { 'gone', int(seq) } end
for slot in slots_of(a) do
  if sub(slot, 1, 1) == 'w' then drop_slot(a, slot) end
end
call('ZREM', TIMERS, 'w' .. a.id)
log('ready', 'a', a.id)
settle(a)
match_agent(a)
keep_agent(a)
--@include close
return { 'ok', int(seq), a.state, a.slots }
