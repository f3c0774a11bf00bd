--[[ admission/create
Purpose: Makes a gate's data, or tells that it is there; as recovering, a new life of it in which
  its whole cap counts as used.
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
ARGV[1] generation       µs since 1970, 16 digits, greater than that of the data that is there
ARGV[2] status           o open, p paused, r recovering
ARGV[3] columns          the settings as conf from column 2
ARGV[4] adapt            the adaptive cap's settings
ARGV[5] script_sha       SHA-1 of admission/acquire
ARGV[6] open_after_s     recovering: opens by itself then
ARGV[7] becomes          recovering: o or p, what it opens as
Reply: [1, "", "", ""]; reason "exists" = this generation is there already, nothing was done
Errors: -1 "other generation <n>" (a newer one is there), "malformed …"
Complexity: O(1)
Version: 1
]]
local call = redis.call
local GATE = KEYS[1]
local generation, status, columns = ARGV[1] or '', ARGV[2], ARGV[3] or ''
if not string.find(generation, '^%d+$') or #generation ~= 16 then return { '-1', '', '', 'malformed generation' } end
if status ~= 'o' and status ~= 'p' and status ~= 'r' then return { '-1', '', '', 'malformed status' } end
if #columns ~= 55 or not string.find(columns, '^[01][01][01]|%d+$') then return { '-1', '', '', 'malformed columns' } end
local there = call('HMGET', GATE, 'generation', 'clock', 'conf')
if there[3] and there[1] then
  if there[1] == generation then return { '1', '', '', 'exists' } end
  if there[1] + 0 > generation + 0 then return { '-1', '', '', 'other generation ' .. there[1] } end
end
local now = now_us(there[2])
local at = int(now)
for _, name in ipairs({ KEYS[2] or GATE .. ':permits', KEYS[3] or GATE .. ':anon', KEYS[4] or GATE .. ':line',
  KEYS[5] or GATE .. ':seen', KEYS[6] or GATE .. ':starts', KEYS[7] or GATE .. ':tasks', KEYS[8] or GATE .. ':devices',
  KEYS[9] or GATE .. ':work', KEYS[10] or GATE .. ':batches', KEYS[11] or GATE .. ':log', GATE }) do
  call('UNLINK', name)
end
call('HSET', GATE, 'generation', generation, 'conf', status .. columns, 'seq', 1, 'clock', at, 'drained', 0, 'dropped', 0,
  'granted', 0, 'released', 0, 'refused', 0, 'expired', 0, 'line', 0, 'hold', 0, 'script_version', VERSION, 'script_sha',
  ARGV[5] or '', 'log_limit', string.sub(columns, 46, 55) + 0, 'adapt', ARGV[4] or '', 'win_at', at,
  'loaded', status == 'r' and 0 or 1)
if status == 'r' then
  local open_after = (ARGV[6] or 0) * 1000000
  call('HSET', GATE, 'ghosts', int(string.sub(columns, 5, 11)), 'open_at', int(now + open_after), 'open_after',
    int(open_after), 'becomes', ARGV[7] == 'p' and 'p' or 'o')
end
call('XADD', KEYS[11] or GATE .. ':log', '1-0', 'at', at, 'e',
  (status == 'r' and 'recovering' or 'created') .. '\t\t\t\t\t\t\t\t' .. int(string.sub(columns, 5, 11)))
redis.pcall('PUBLISH', GATE .. ':wake', '')
redis.pcall('PUBLISH', 'timers:new', GATE)
return { '1', '', '', '' }
