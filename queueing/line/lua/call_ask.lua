--[[ line/call_ask
Purpose: An agent wants to call the visitor of a room back: the intent stands here before a number is claimed.
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
ARGV[2] visit          in a room of the agent
ARGV[3] callee         + and digits
ARGV[4] pool           slug of the pool that gives the number
ARGV[5] after_ms       when the sweep looks at it if nobody confirms
Reply: [answer, seq, visit, state i c e, operation, agent, pool, number or "-", callee, 1 = the agent still has the room]; answer: ok, repeat (there is one already); or not_yours, busy (the one before ends)
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n)
Version: 1
]]
--@include open
--@include records
--@include calls

local agent, id, callee, pool, after = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or '', tonumber(ARGV[5])
if not find(callee, '^%+?%d+$') or #callee < 3 or #callee > 33 then return { 'malformed callee' } end
if not find(pool, '^[a-z0-9-]+$') or #pool > 40 then return { 'malformed pool' } end
if not after or after < 1 or after > 600000 then return { 'malformed after' } end
local c = call_of(id)
if c then
  if c.agent ~= agent then return { 'not_yours', int(seq) } end
  if c.state == 'e' then return { 'busy', int(seq) } end
  return call_reply('repeat', c)
end
local v = visit_of(id)
if not v or v.state ~= 'r' or v.agent ~= agent then return { 'not_yours', int(seq) } end
c = { visit = id, state = 'i', operation = id .. '.' .. int(now), agent = agent, pool = pool, number = '-', callee = callee }
keep_call(c, after)
call('HINCRBY', DESK, 'calls', 1)
log('call', 'v', id, 'a', agent, 'q', v.queue, 'w', c.operation)
--@include close
return call_reply('ok', c)
