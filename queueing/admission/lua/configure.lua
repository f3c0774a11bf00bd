--[[ admission/configure
Purpose: Writes new settings; they count from this moment. Nobody in flight is dropped.
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
ARGV[1] columns          the settings as conf from column 2
ARGV[2] adapt            the adaptive cap's settings
ARGV[3] script_sha       SHA-1 of admission/acquire
ARGV[4] keep_cap         1 = an adaptive cap stays where it is, within its new bounds
Reply: [1, "", "", ""]; reason "repeat" = they were so already
Errors: -1 "no such gate", "script outdated …", "malformed columns"
Complexity: O(1)
Version: 1
]]
--@include head
local columns, adapt = ARGV[1] or '', ARGV[2] or ''
if #columns ~= 55 or not find(columns, '^[01][01][01]|%d+$') then return { '-1', '', '', 'malformed columns' } end
local least, most = string.match(adapt, '^(%d+) (%d+) %d+ %d+ %d+ %d+ %d+$')
if not least then return { '-1', '', '', 'malformed adapt' } end
--@include machinery
if ARGV[4] == '1' and sub(columns, 3, 3) == '1' and sub(conf, 4, 4) == '1' then
  local kept = math.max(least + 0, math.min(most + 0, sub(conf, 6, 12) + 0))
  columns = sub(columns, 1, 4) .. fmt('%07d', kept) .. sub(columns, 12)
end
local new = sub(conf, 1, 1) .. columns
local known = call('HGET', GATE, 'adapt')
call('HSET', GATE, 'log_limit', sub(columns, 46, 55) + 0, 'script_sha', ARGV[3] or '', 'script_version', VERSION)
if new == conf and known == adapt then return { '1', '', '', 'repeat' } end
local before, after = sub(conf, 6, 12) + 0, sub(new, 6, 12) + 0
if sub(new, 13, 18) * 1000000 < length then -- permits of the old length may live for so long
  call('HSET', GATE, 'longest', fmt('%d', math.max(length, tonumber(call('HGET', GATE, 'longest')) or 0)))
end
if sub(columns, 1, 1) == '0' and sub(conf, 2, 2) == '1' then
  call('UNLINK', LINE, SEEN)
  call('HSET', GATE, 'line', 0)
end
conf = new
call('HSET', GATE, 'conf', conf, 'adapt', adapt)
if before ~= after then log('resized', '', '', '', '', '', '', 'settings', fmt('%d %d', before, after))
else log('configured') end
finish()
redis.pcall('PUBLISH', 'timers:new', GATE)
--@include wake
return { '1', '', '', '' }
