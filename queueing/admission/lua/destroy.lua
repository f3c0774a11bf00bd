--[[ admission/destroy
Purpose: Removes a gate's data.
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
ARGV[1] generation       of the data that is to go; newer data stays
Reply: [1, "", "", ""]; reason "repeat" = there is none
Errors: -1 "other generation <n>", "malformed generation"
Complexity: O(1); O(n) in the background
Version: 1
]]
local call = redis.call
local GATE = KEYS[1]
if not string.find(ARGV[1] or '', '^%d+$') then return { '-1', '', '', 'malformed generation' } end
local there = call('HGET', GATE, 'generation')
if there and there + 0 > ARGV[1] + 0 then return { '-1', '', '', 'other generation ' .. there } end
for _, name in ipairs({ KEYS[2] or GATE .. ':permits', KEYS[3] or GATE .. ':anon', KEYS[4] or GATE .. ':line',
  KEYS[5] or GATE .. ':seen', KEYS[6] or GATE .. ':starts', KEYS[7] or GATE .. ':tasks', KEYS[8] or GATE .. ':devices',
  KEYS[9] or GATE .. ':work', KEYS[10] or GATE .. ':batches', KEYS[11] or GATE .. ':log', GATE }) do
  call('UNLINK', name)
end
redis.pcall('PUBLISH', GATE .. ':wake', '')
return { '1', '', '', there and '' or 'repeat' }
