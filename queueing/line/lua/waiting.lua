--[[ line/waiting
Purpose: A part of a queue's line, in order.
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
ARGV[1] queue          its id
ARGV[2] after          the last entry of the part before, or ""
ARGV[3] count          1 to 1 000
Reply: [seq, now ms], then triples: entry, visit, state as stored
Errors: "no such desk", "script outdated …", "malformed …"
Complexity: O(log n + count)
Version: 1
]]
--@include open
local queue, after, count_ = ARGV[1], ARGV[2] or '', tonumber(ARGV[3])
if not find(queue or '', '^%d+$') then return { 'malformed queue' } end
if not count_ or count_ < 1 or count_ > 1000 or count_ % 1 ~= 0 then return { 'malformed count' } end
local from = fmt('%06d', queue)
local low = after ~= '' and '(' .. after or '[' .. from
local page = call('ZRANGEBYLEX', WAITING, low, '(' .. from .. '~', 'LIMIT', 0, count_)
local reply = { int(seq), int(now_ms) }
for i = 1, #page do
  local n, id = #reply, sub(page[i], 25)
  reply[n + 1], reply[n + 2], reply[n + 3] = page[i], id, call('HGET', VISITS, id)
end
return reply
