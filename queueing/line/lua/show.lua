--[[ line/show
Purpose: Reads a desk's figures: its own, and those of each queue.
KEYS[1] {line.desk}           HASH    settings, generation, seq, skills, counters
KEYS[2] {line.desk}:queues    HASH    queue → settings
KEYS[3] {line.desk}:visits    HASH    visit → state
KEYS[4] {line.desk}:agents    HASH    agent → state
KEYS[5] {line.desk}:waiting   ZSET    everybody in a queue, in order
KEYS[6] {line.desk}:ready     ZSET    visitors who can be matched
KEYS[7] {line.desk}:free      ZSET    agents who can take a visitor, per queue
KEYS[8] {line.desk}:timers    ZSET    what time brings, by ms
KEYS[9] {line.desk}:log       STREAM  one entry per change
KEYS[10] {line.desk}:calls    ZSET    visits with a callback, by the ms of its next check
Reply: [status, generation, seq, drained, dropped, now ms, opens at ms, joined, answered, abandoned], then per queue
  6: id, waiting, ready, oldest arrival µs or 0, agents online, agents free
Errors: "no such desk", "script outdated …"
Complexity: O(queues × log n)
Version: 1
]]
-- Arrival of who waits longest, in µs as text: the first of each class is looked at.
local function oldest_in(start)
  local oldest
  for class = 1, lines.CLASSES do
    local entry = lines.some(lines.WAITING, start .. class, 1)[1]
    local joined = entry and visits.read(lines.id_of(entry)).joined
    if joined and (not oldest or joined + 0 < oldest + 0) then oldest = joined end
  end
  return oldest or '0'
end

local refusal = desk.open(KEYS[1])
if refusal then return refusal end
local generation, drained, dropped, opens_at = unpack(redis.call('HMGET', desk.tag, 'generation', 'drained', 'dropped',
  'opens_at'))
local reply = { desk.letter, generation, int(desk.seq), drained or '0', dropped or '0', desk.at_ms, opens_at or '0',
  desk.joined, desk.answered, desk.abandoned }
local ids = queues.ids()
table.sort(ids, function(one, other) return one + 0 < other + 0 end)

local function tell(word)
  reply[#reply + 1] = word
end
for _, id in ipairs(ids) do
  local start = lines.of_queue(id)
  local waiting = lines.count(lines.WAITING, start)
  tell(id)
  tell(int(waiting))
  tell(int(lines.count(lines.READY, start)))
  tell(waiting > 0 and oldest_in(start) or '0')
  tell(int(queues.online(id)))
  tell(int(lines.count(lines.FREE, start)))
end
return reply
