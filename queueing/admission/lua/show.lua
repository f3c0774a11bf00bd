--[[ admission/show
Purpose: A gate's figures at one moment.
KEYS[1] {gate}           HASH    settings, generation, counters; "=<holder>" for each permit
KEYS[2] {gate}:permits   ZSET    holder by deadline, µs
KEYS[3] {gate}:anon      ZSET    anonymous permits by the order of their granting
KEYS[4] {gate}:line      ZSET    who waits by the µs of the arrival
KEYS[5] {gate}:seen      ZSET    who waits by the µs of the last asking
KEYS[6] {gate}:starts    LIST    the last starts, newest first, when a rate is set
KEYS[7] {gate}:tasks     HASH    task → state, attempt, tokens, issued, batch, device, payload
KEYS[8] {gate}:devices   HASH    device → its tasks that have not ended, in their order
KEYS[9] {gate}:work      ZSET    task by batch × 8 + state
KEYS[10] {gate}:batches  HASH    batch → status, end of its window, µs, when it was closed
KEYS[11] {gate}:log      STREAM  history
Reply: pairs: as_of generation conf seq drained dropped used permits anonymous waiting tasks devices
  ghosts open_at hold granted released refused expired renewed freed returned done failed late
  overrun closed told told_at adapt; then batches: pairs of "batch" and its number, record, and
  the counts of its states p r d f x
Errors: -1 "no such gate", "script outdated …"
Complexity: O(log n + batches × log n), 1 000 batches at most
Version: 1
]]
--@include head
local names = { 'drained', 'dropped', 'ghosts', 'open_at', 'hold', 'granted', 'released', 'refused', 'expired', 'renewed',
  'freed', 'returned', 'done', 'failed', 'late', 'overrun', 'closed', 'told', 'told_at', 'adapt' }
local values = call('HMGET', GATE, unpack(names))
local used = call('ZCOUNT', PERMITS, '(' .. fmt('%d', due), '+inf')
if sub(conf, 1, 1) == 'r' then used = used + (values[3] or sub(conf, 6, 12)) end
local reply = { 'as_of', at, 'generation', head[4], 'conf', conf, 'seq', fmt('%d', seq), 'used', fmt('%d', used),
  'permits', fmt('%d', call('ZCARD', PERMITS)), 'anonymous', fmt('%d', call('ZCARD', ANON)),
  'waiting', fmt('%d', call('ZCARD', LINE)), 'seen', fmt('%d', call('ZCARD', SEEN)),
  'starts', fmt('%d', call('LLEN', STARTS)), 'tasks', fmt('%d', call('HLEN', TASKS)),
  'devices', fmt('%d', call('HLEN', DEVICES)), 'backlog', fmt('%d', call('XLEN', LOG)) }
for i, name in ipairs(names) do
  reply[#reply + 1] = name
  reply[#reply + 1] = values[i] or ''
end
local flat = call('HGETALL', BATCHES)
for i = 1, #flat, 2 do
  local words = { flat[i], flat[i + 1] }
  for state = 0, 4 do
    local score = fmt('%d', flat[i] * 8 + state)
    words[#words + 1] = fmt('%d', call('ZCOUNT', WORK, score, score))
  end
  reply[#reply + 1] = 'batch'
  reply[#reply + 1] = table.concat(words, ' ')
end
return reply
