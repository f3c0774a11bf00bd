--[[ line/show
Purpose: A desk's figures: of itself and of each queue.
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
Reply: [status, generation, seq, drained, dropped, now ms, opens at ms, joined, answered, abandoned], then per queue 6: id, waiting, ready, oldest arrival µs or 0, agents online, agents free
Errors: "no such desk", "script outdated …"
Complexity: O(queues × log n)
Version: 1
]]
--@include open
local fields = call('HMGET', DESK, 'generation', 'drained', 'dropped', 'opens_at', 'joined', 'answered', 'abandoned')
local reply = { status, fields[1], int(seq), fields[2] or '0', fields[3] or '0', int(now_ms), fields[4] or '0', fields[5] or '0', fields[6] or '0', fields[7] or '0' }
local ids = call('HKEYS', QUEUES)
table.sort(ids, function(x, y) return x + 0 < y + 0 end)
for i = 1, #ids do
  local from = fmt('%06d', ids[i])
  local waiting, ready, free, oldest = call('ZLEXCOUNT', WAITING, '[' .. from, '(' .. from .. '~'), 0, 0, nil
  if waiting > 0 then
    ready = call('ZLEXCOUNT', READY, '[' .. from, '(' .. from .. '~')
    for class = 1, 9 do
      local head = call('ZRANGEBYLEX', WAITING, '[' .. from .. class, '(' .. from .. class .. '~', 'LIMIT', 0, 1)[1]
      if head then
        local v = call('HGET', VISITS, sub(head, 25))
        local joined = match(v, '^%a %d+ %d %d+ (%d+)')
        if not oldest or joined + 0 < oldest + 0 then oldest = joined end
      end
    end
  end
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = ids[i], int(waiting), int(ready), oldest or '0'
  reply[n + 5] = call('HGET', DESK, 'online:' .. ids[i]) or '0'
  reply[n + 6] = int(call('ZLEXCOUNT', FREE, '[' .. from, '(' .. from .. '~'))
end
return reply
