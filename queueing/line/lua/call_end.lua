--[[ line/call_end
Purpose: A call back ends: its number is to be given back, then line/call_forget.
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
ARGV[2] agent          whose call it must be, or "" = anybody's
ARGV[3] operation      of the call, or "" = whichever
ARGV[4] after_ms       when the sweep looks at it if nobody goes on
Reply: [answer, seq, visit, state i c e, operation, agent, pool, number or "-", callee, 1 = the agent still has the room]; answer: ok; or repeat (there is none), not_yours
Errors: "no such desk", "script outdated …", "malformed after"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include records
--@include calls

local agent, operation, after = ARGV[2] or '', ARGV[3] or '', tonumber(ARGV[4])
if not after or after < 1 or after > 600000 then return { 'malformed after' } end
local c = call_of(ARGV[1] or '')
if not c or (operation ~= '' and c.operation ~= operation) then return { 'repeat', int(seq) } end
if agent ~= '' and c.agent ~= agent then return { 'not_yours', int(seq) } end
if c.state ~= 'e' then
  c.state = 'e'
  log('call_over', 'v', c.visit, 'a', c.agent, 'w', c.operation)
end
keep_call(c, after)
--@include close
return call_reply('ok', c)
