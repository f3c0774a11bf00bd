--[[ line/call_keep
Purpose: A call back has its number, or keeps it for longer; over when the room is no longer the agent's.
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
ARGV[3] number         that was claimed, or "" = still the same
ARGV[4] after_ms       when the sweep looks at it next
Reply: [answer, seq, visit, state i c e, operation, agent, pool, number or "-", callee, 1 = the agent still has the room]; answer: ok; or over (ends, or another one: give the number back)
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include records
--@include calls

local number, after = ARGV[3] or '', tonumber(ARGV[4])
if number ~= '' and not find(number, '^%+?%d+$') then return { 'malformed number' } end
if not after or after < 1 or after > 86400000 then return { 'malformed after' } end
local c = call_of(ARGV[1] or '')
if not c or c.operation ~= ARGV[2] or c.state == 'e' then return { 'over', int(seq) } end
local v = visit_of(c.visit)
if not v or v.state ~= 'r' or v.agent ~= c.agent then return { 'over', int(seq) } end
if number ~= '' and c.state == 'i' then
  c.state, c.number = 'c', number
  log('called', 'v', c.visit, 'a', c.agent, 'q', v.queue, 'w', c.operation)
  tell('call', '-', c.agent)
end
keep_call(c, after)
--@include close
return call_reply('ok', c)
