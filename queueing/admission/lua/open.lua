--[[ admission/open
Purpose: Opens a recovering gate: at once by an operator, or says that its tasks are all there.
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
ARGV[1] how              now = an operator opens early; loaded = every task is there, time opens it
ARGV[2] reason           for the history
ARGV[3] status           o open, p paused: what it becomes
Reply: [1, "", "", reason]; reason "waiting" = permits of the life before may live, "repeat" = it was open
Errors: -1 "no such gate", "script outdated …", "malformed …"
Complexity: O(1)
Version: 1
]]
--@include head
local how, reason, status = ARGV[1], ARGV[2] or '', ARGV[3] or 'o'
if (how ~= 'now' and how ~= 'loaded') or (status ~= 'o' and status ~= 'p') then return { '-1', '', '', 'malformed' } end
if find(reason, '%c') or #reason > 200 then return { '-1', '', '', 'malformed reason' } end
if sub(conf, 1, 1) ~= 'r' then return { '1', '', '', 'repeat' } end
--@include machinery
call('HSET', GATE, 'loaded', 1, 'becomes', status)
redis.pcall('PUBLISH', 'timers:new', GATE)
if how == 'loaded' then return { '1', '', '', 'waiting' } end
conf = status .. sub(conf, 2)
call('HSET', GATE, 'conf', conf)
call('HDEL', GATE, 'ghosts') -- none told: on a promoted server the whole cap is used
log('opened', '', '', '', '', '', '', reason)
finish()
--@include wake
return { '1', '', '', '' }
