--[[ admission/sweep
Purpose: What time brings, a bounded piece at a time: permits' ends, silent ones in the line,
  batches' ends, a recovering gate's opening, the adaptive cap; times in the future of a clock that was put back.
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
ARGV[1] batch            how many of each kind at most, 1 to 1 000
Reply: pairs: more opened expired silent closed cap now next; more = 1: call again at once; cap: the
  new one, "" = as it was; now and next in µs: nothing is due before next
Errors: -1 "no such gate", "script outdated …", "malformed …"
Complexity: O(batch × log n)
Version: 1
]]
--@include head
local limit = tonumber(ARGV[1])
if not limit or limit < 1 or limit > 1000 or limit % 1 ~= 0 then return { '-1', '', '', 'malformed batch' } end
--@include turn
--@include machinery
--@include closing
if behind then
  --@include put_back
end
local over = call('ZRANGEBYSCORE', PERMITS, '-inf', fmt('%d', due), 'LIMIT', 0, limit)
for _, who in ipairs(over) do
  local held = call('HGET', GATE, '=' .. who)
  if held then end_permit(who, held, 'expired') else call('ZREM', PERMITS, who) end
end
local silent = fair and forget_silent() or 0
local closed, flat = 0, call('HGETALL', BATCHES)
for i = 1, #flat, 2 do
  if closed < limit then closed = closed + step(flat[i], flat[i + 1], limit - closed) end
end
local opened = false
if sub(conf, 1, 1) == 'r' then
  local fields = call('HMGET', GATE, 'open_at', 'loaded', 'becomes')
  if fields[1] and fields[2] == '1' and fields[1] + 0 <= due then
    conf = (fields[3] or 'o') .. sub(conf, 2)
    call('HSET', GATE, 'conf', conf)
    call('HDEL', GATE, 'ghosts') -- none told: on a promoted server the whole cap is used
    log('opened', '', '', '', '', '', '', 'permits of the life before have ended')
    opened = true
  end
end
--@include adapt
count_line()
finish()
--@include wake
local more = #over == limit or silent == 100 or closed >= limit or behind
--@include next_time
return { 'more', more and '1' or '0', 'opened', opened and '1' or '0', 'expired', fmt('%d', #over), 'silent',
  fmt('%d', silent), 'closed', fmt('%d', closed), 'cap', new_cap, 'now', at, 'next', fmt('%d', next_us) }
