--[[ admission/batch
Purpose: A batch of tasks is made known, with its window; its tasks are all there; it stands still, goes on, is
  cancelled, or gets another end of its window. What is cancelled or over is closed by admission/sweep.
KEYS[1] {gate}           HASH    settings, generation, counters; "=<holder>" for each permit
KEYS[2] {gate}:permits   ZSET    holder by deadline, µs
KEYS[3] {gate}:anon      ZSET    anonymous permits by the order of their granting
KEYS[4] {gate}:line      ZSET    who waits by the µs of the arrival
KEYS[5] {gate}:seen      ZSET    who waits by the µs of the last asking
KEYS[6] {gate}:starts    LIST    the last starts, newest first, when a rate is set
KEYS[7] {gate}:tasks     HASH    task → state, attempt, tokens, issued, batch, device, payload
KEYS[8] {gate}:devices   HASH    device → its tasks that have not ended, in their order
KEYS[9] {gate}:work      ZSET    task by batch × 8 + state
KEYS[10] {gate}:batches  HASH    batch → status, end of its window, µs, its begin and w|l, or when it was closed
KEYS[11] {gate}:log      STREAM  history
ARGV[1] what             open loaded pause resume cancel extend
ARGV[2] batch            its number
ARGV[3] ends_us          open, extend: the end of its window
ARGV[4] reason           for the history
ARGV[5] opens_us         open: the begin of its window; devices are told that it is loading until it is loaded. Left
  out: now, and nothing is waited for
Reply: [1, "", "", reason]; reason "repeat" = it was so already
Errors: -1 "malformed …", "no such batch", "over", "too many batches", "no such gate", "script outdated …"
Complexity: O(1)
Version: 1
]]
--@include head
local what, batch, ends, reason = ARGV[1] or '', ARGV[2] or '', ARGV[3] or '', ARGV[4] or ''
if not find(batch, '^%d+$') or #batch > 14 then return { '-1', '', '', 'malformed batch' } end
if (what == 'open' or what == 'extend') and not (find(ends, '^%d+$') and #ends == 16) then
  return { '-1', '', '', 'malformed end' }
end
local opens = ARGV[5] or ''
if opens ~= '' and (what ~= 'open' or #opens ~= 16 or find(opens, '%D')) then return { '-1', '', '', 'malformed begin' } end
if find(reason, '%c') or #reason > 200 then return { '-1', '', '', 'malformed reason' } end
--@include machinery
local record = call('HGET', BATCHES, batch)
local status = batch_status(batch)
local before, window = record and sub(record, 1, 1), record and sub(record, 18) or ''
if status == 's' then status = 'o' end
if what == 'open' then
  if status then return { '1', '', '', 'repeat' } end
  if call('HLEN', BATCHES) >= 1000 then return { '-1', '', '', 'too many batches' } end
  status, window = 'o', opens ~= '' and opens .. 'w' or ''
elseif not status then
  return { '-1', '', '', 'no such batch' }
elseif what == 'cancel' then
  if status == 'c' then return { '1', '', '', 'repeat' } end
  if before == 'e' and window ~= '' then return { '-1', '', '', 'over' } end
  ends, status, window = sub(record, 2, 17), 'c', ''
elseif status ~= 'o' and status ~= 'p' then
  return { '-1', '', '', 'over' }
elseif what == 'pause' or what == 'resume' then
  ends, status = sub(record, 2, 17), what == 'pause' and 'p' or 'o'
  if status == before then return { '1', '', '', 'repeat' } end
elseif what == 'loaded' then
  ends = sub(record, 2, 17)
  if sub(window, 17) ~= 'w' then return { '1', '', '', 'repeat' } end
  window = sub(window, 1, 16) .. 'l'
elseif what ~= 'extend' then
  return { '-1', '', '', 'malformed what' }
elseif sub(record, 2, 17) == ends then
  return { '1', '', '', 'repeat' }
end
call('HSET', BATCHES, batch, status .. ends .. window)
if what ~= 'extend' and what ~= 'open' or window ~= '' then keep_loading() end
if what ~= 'loaded' then log(({ open = 'began', pause = 'held', resume = 'went on', cancel = 'cancelled', extend = 'extended' })[what], '', '', '',
  '', '', batch, reason, ends) end
finish()
redis.pcall('PUBLISH', 'timers:new', GATE)
--@include wake
return { '1', '', '', '' }
