--[[ admission/pause
Purpose: Pauses a gate, or lets it go on; what is in flight is not touched.
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
ARGV[1] on               1 pause, 0 go on
ARGV[2] reason           for the history
Reply: [1, "", "", ""]; reason "repeat" = it was so already
Errors: -1 "no such gate", "script outdated …", "malformed …", "recovering" (admission/open opens it)
Complexity: O(1)
Version: 1
]]
--@include head
local on, reason = ARGV[1], ARGV[2] or ''
if on ~= '0' and on ~= '1' then return { '-1', '', '', 'malformed on' } end
if find(reason, '%c') or #reason > 200 then return { '-1', '', '', 'malformed reason' } end
local status = sub(conf, 1, 1)
if status == 'r' then
  call('HSET', GATE, 'becomes', on == '1' and 'p' or 'o')
  return { '-1', '', '', 'recovering' }
end
if (status == 'p') == (on == '1') then return { '1', '', '', 'repeat' } end
--@include machinery
conf = (on == '1' and 'p' or 'o') .. sub(conf, 2)
call('HSET', GATE, 'conf', conf)
log(on == '1' and 'paused' or 'resumed', '', '', '', '', '', '', reason)
finish()
--@include wake
return { '1', '', '', '' }
