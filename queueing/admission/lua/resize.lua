--[[ admission/resize
Purpose: Another cap, from this moment: lower, and nobody is let in before enough have gone; higher, at once.
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
ARGV[1] cap              1 to 1 000 000
ARGV[2] adaptive         1 = the adaptive cap goes on from here, 0 = it stands still
ARGV[3] reason           for the history
Reply: [1, the cap before, permits in use, ""]; reason "repeat" = it was so already
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
--@include head
local wanted, adaptive, reason = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if not find(wanted, '^[1-9]%d*$') or #wanted > 7 or wanted + 0 > 1000000 then return { '-1', '', '', 'malformed cap' } end
if adaptive ~= '0' and adaptive ~= '1' then return { '-1', '', '', 'malformed adaptive' } end
if find(reason, '%c') or #reason > 200 then return { '-1', '', '', 'malformed reason' } end
--@include machinery
local before = sub(conf, 6, 12) + 0
local new = sub(conf, 1, 3) .. adaptive .. '|' .. fmt('%07d', wanted) .. sub(conf, 13)
if new == conf then return { '1', fmt('%d', before), fmt('%d', used()), 'repeat' } end
conf = new
call('HSET', GATE, 'conf', conf)
log('resized', '', '', '', '', '', '', reason, fmt('%d %d', before, wanted))
finish()
redis.pcall('PUBLISH', 'timers:new', GATE)
--@include wake
return { '1', fmt('%d', before), fmt('%d', used()), '' }
