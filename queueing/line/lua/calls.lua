--[[ line/calls
Purpose: Calls back: those that are due for a look, or those of given visits.
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
ARGV[1] count          how many at most, 1 to 1 000
ARGV[2+] visit         their ids, up to 1 000; none = those that are due
Reply: [seq, now ms], then 8 each: visit, state, operation, agent, pool, number, callee, 1 = the agent still has the room
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n + count)
Version: 1
]]
--@include open
--@include records
--@include calls

local count_ = tonumber(ARGV[1])
if not count_ or count_ < 1 or count_ > 1000 or count_ % 1 ~= 0 then return { 'malformed count' } end
if #ARGV > 1001 then return { 'malformed visits' } end
local ids = {}
if #ARGV > 1 then
  for i = 2, #ARGV do ids[i - 1] = ARGV[i] end
elseif calls > 0 then
  ids = call('ZRANGEBYSCORE', CALLS, '-inf', int(now_ms), 'LIMIT', 0, count_)
end
local reply = { int(seq), int(now_ms) }
for i = 1, #ids do
  local c = call_of(ids[i])
  if c then
    local words, n = call_reply('', c), #reply
    for j = 3, 10 do reply[n + j - 2] = words[j] end
  end
end
return reply
