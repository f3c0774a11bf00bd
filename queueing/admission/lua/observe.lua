--[[ admission/observe
Purpose: The external system tells how many it serves at once, by its own count; more than the cap
  is an overrun. It may tell its errors and its latency, too, for the adaptive cap.
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
ARGV[1] count            clients at once
ARGV[2] good             served since it told last; left out: not told
ARGV[3] bad              failed since
ARGV[4] took_ms          mean latency since
Reply: [1, the cap, permits in use, over | ""]
Errors: -1 "malformed …", "no such gate", "script outdated …"
Complexity: O(log n)
Version: 1
]]
--@include head
local count, good, bad, took = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
if not find(count, '^%d+$') or #count > 9 or not find(good .. bad .. took, '^%d*$') or #good > 9 or #bad > 9
  or #took > 9 then
  return { '-1', '', '', 'malformed count' }
end
--@include machinery
local in_use = used()
local most = math.max(sub(conf, 6, 12) + 0, in_use)
call('HSET', GATE, 'told', count, 'told_at', at)
local over = count + 0 > most
if over then
  log('overrun', '', '', '', '', '', '', 'external count', count .. ' ' .. fmt('%d', most))
  add('overrun')
end
if sub(conf, 4, 4) == '1' then
  if good ~= '' then add('win_ok', good + 0) end
  if bad ~= '' then add('win_bad', bad + 0) end
  if took ~= '' then
    add('win_took', took + 0)
    add('win_timed')
  end
end
finish()
--@include wake
return { '1', sub(conf, 6, 12), fmt('%d', in_use), over and 'over' or '' }
