--[[ admission/free
Purpose: An operator ends a permit before its time; a device's task goes back as if it had expired.
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
ARGV[1] holder           as the gate names it: a name, @device, #token
ARGV[2] token            of the permit that was looked at
ARGV[3] reason           for the history
Reply: [1, token, task, ""] or [0, "", "", not held | other token]
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
--@include head
local who, token, reason = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if #who > 64 or not find(who, '^[#@]?%w[%w._:-]*$') then return { '-1', '', '', 'malformed holder' } end
if not find(token, '^%d+$') then return { '-1', '', '', 'malformed token' } end
if find(reason, '%c') or #reason > 200 then return { '-1', '', '', 'malformed reason' } end
local held = call('HGET', GATE, '=' .. who)
if not held then return { '0', '', '', 'not held' } end
if sub(held, 1, 16) ~= token then return { '0', '', '', 'other token' } end
--@include machinery
local task = task_of(held) or ''
end_permit(who, held, 'freed', reason)
finish()
--@include wake
return { '1', token, task, '' }
