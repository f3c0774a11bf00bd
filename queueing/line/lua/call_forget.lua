--[[ line/call_forget
Purpose: A call back is over and its number given back: the desk forgets it.
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
ARGV[1] visit          its id
ARGV[2] operation      of the call
ARGV[3] reason         a word: over, or why it came to nothing
Reply: [answer, seq]; answer: ok, repeat (there is none)
Errors: "no such desk", "script outdated …"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include records
--@include calls

local c = call_of(ARGV[1] or '')
if not c or c.operation ~= ARGV[2] then return { 'repeat', int(seq) } end
call('HDEL', DESK, 'call:' .. c.visit)
call('ZREM', CALLS, c.visit)
call('HINCRBY', DESK, 'calls', -1)
log('call_end', 'v', c.visit, 'a', c.agent, 'w', clean(ARGV[3] ~= '' and ARGV[3] or 'over'), 'o', c.operation)
tell('call', '-', c.agent)
--@include close
return { 'ok', int(seq) }
