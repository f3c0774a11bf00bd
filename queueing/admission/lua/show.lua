--[[ admission/show
Purpose: Reads a gate's figures at one moment.
KEYS[1] {gate}           HASH    settings, generation, counters; "=<holder>" for each permit
KEYS[2] {gate}:permits   ZSET    holder by deadline, µs
KEYS[3] {gate}:anon      ZSET    anonymous permits by the order of their granting
KEYS[4] {gate}:line      ZSET    waiting ones by the µs of their arrival
KEYS[5] {gate}:seen      ZSET    waiting ones by the µs of their last request
KEYS[6] {gate}:starts    LIST    the last starts, newest first, when a rate is set
KEYS[7] {gate}:tasks     HASH    task → state, attempt, tokens, issued, batch, device, payload
KEYS[8] {gate}:devices   HASH    device → its tasks that have not ended, in their order
KEYS[9] {gate}:work      ZSET    task by batch × 8 + state
KEYS[10] {gate}:batches  HASH    batch → status, end of its window, µs, when it was closed
KEYS[11] {gate}:log      STREAM  history
KEYS[12] {gate}:weights  ZSET    what permits count beyond 1, by binary digit and deadline (weights.lua)
KEYS[13] {gate}:heavy    ZSET    the weights of heavy ones in the line, by binary digit and arrival, and by name
KEYS[14] {gate}:waits    HASH    how long holders waited: counts by minute and bucket (waits.lua)
Reply: pairs: as_of generation conf seq drained dropped used permits anonymous waiting tasks devices
  wait_bounds waits_recent waits_total waited_us ghosts open_at hold granted released refused expired
  renewed freed returned done failed late overrun closed told told_at adapt; then batches: pairs of "batch"
  and its number, record, and the counts of its states p r d f x
Errors: -1 "no such gate", "script outdated …"
Complexity: O(log n + batches × log n), 1 000 batches at most
Version: 1
]]
local NAMES = { 'drained', 'dropped', 'ghosts', 'open_at', 'hold', 'granted', 'released', 'refused', 'expired',
  'renewed', 'freed', 'returned', 'done', 'failed', 'late', 'overrun', 'closed', 'told', 'told_at', 'adapt' }
local STATES = { 'pending', 'running', 'done', 'failed', 'expired' }
local refusal = gate.open(KEYS[1])
if refusal then return refusal end

local reply = { 'as_of', gate.at, 'generation', gate.generation, 'conf', gate.conf.text }
local function tell(name, value)
  reply[#reply + 1] = name
  reply[#reply + 1] = value
end
tell('seq', string.format('%d', gate.seq))
tell('used', string.format('%d', permits.used()))
tell('permits', string.format('%d', redis.call('ZCARD', gate.tag .. ':permits')))
tell('anonymous', string.format('%d', redis.call('ZCARD', gate.tag .. ':anon')))
tell('waiting', string.format('%d', redis.call('ZCARD', gate.tag .. ':line')))
tell('seen', string.format('%d', redis.call('ZCARD', gate.tag .. ':seen')))
tell('starts', string.format('%d', redis.call('LLEN', gate.tag .. ':starts')))
tell('tasks', string.format('%d', redis.call('HLEN', gate.tag .. ':tasks')))
tell('devices', string.format('%d', redis.call('HLEN', gate.tag .. ':devices')))
tell('backlog', string.format('%d', redis.call('XLEN', gate.tag .. ':log')))
local recent, total, sum = waits.show()
tell('wait_bounds', waits.bounds_ms())
tell('waits_recent', recent)
tell('waits_total', total)
tell('waited_us', sum)
local values = redis.call('HMGET', gate.tag, unpack(NAMES))
for place, name in ipairs(NAMES) do tell(name, values[place] or '') end
local records = redis.call('HGETALL', gate.tag .. ':batches')
for place = 1, #records, 2 do
  local id, record = records[place], records[place + 1]
  local words = { id, record }
  for _, state in ipairs(STATES) do
    local score = tasks.score(id, state)
    words[#words + 1] = string.format('%d', redis.call('ZCOUNT', gate.tag .. ':work', score, score))
  end
  tell('batch', table.concat(words, ' '))
end
return reply
