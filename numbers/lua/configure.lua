--[[ numbers/configure
Purpose: Writes new settings; status, flags and counters stay as they are.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] columns            near, charged, "0|" and the numbers: conf from column 2
ARGV[2] days               coming midnights, s since 1970, joined by spaces
ARGV[3] log_limit          entries
ARGV[4] script_sha         SHA-1 of numbers/event
ARGV[5] added_by_script    lend, confirm or refuse: what becomes of a number that the event add brings
ARGV[6] media              switches whose restart ends their calls, joined by tabs; any other is a proxy
Reply: [1, "", "", reason]; reason "refresh" = numbers must be looked through (numbers/scan with mend)
Errors: -1 "no such pool", "script outdated …", "malformed columns"
Complexity: O(1); O(numbers) in the background when near goes off
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local columns = ARGV[1] or ''
if #columns ~= 102 or not find(columns, '^[01][01]0|%d+$') then
  return { '-1', '', '', 'malformed columns' }
end
if find(ARGV[2] or '', '[^%d ]') or not find(ARGV[3] or '', '^%d+$') then return { '-1', '', '', 'malformed settings' } end
local rule = ARGV[5]
if rule ~= 'lend' and rule ~= 'confirm' and rule ~= 'refuse' then return { '-1', '', '', 'malformed added_by_script' } end
local refresh = ''
if sub(columns, 1, 1) ~= sub(conf, 2, 2) then
  call('UNLINK', NEAR)
  if sub(columns, 1, 1) == '1' then refresh = 'refresh' end
end
if sub(columns, 55, 60) ~= sub(conf, 56, 61) then refresh = 'refresh' end
local kept = call('HMGET', POOL, 'added_by_script', 'media', 'longer_until')
if sub(columns, 5, 24) ~= sub(conf, 6, 25) then -- calls may last by the terms before: see slow.put_back
  call('HSET', POOL, 'longer_until', slow.us(math.max(tonumber(kept[3]) or 0, math.floor(now / 1000)
    + math.max(sub(conf, 6, 15) + 0, sub(conf, 16, 25) + 0))))
end
local changed = sub(columns, 1, 2) .. sub(columns, 4) ~= sub(conf, 2, 3) .. sub(conf, 5, 103)
  or rule ~= (kept[1] or 'lend') or (ARGV[6] or '') ~= (kept[2] or '')
slow.column(2, sub(columns, 1, 2) .. sub(conf, 4, 4) .. sub(columns, 4))
slow.column(104, string.rep('0', 32)) -- the times by the old terms are looked at anew
call('HSET', POOL, 'days', ARGV[2], 'log_limit', ARGV[3], 'script_sha', ARGV[4] or '', 'script_version', VERSION,
  'added_by_script', rule, 'media', ARGV[6] or '')
if changed then slow.log('configured', '', '', '') end
seq, conf = slow.synced()
--@include close
redis.pcall('PUBLISH', 'timers:new', POOL)
return { '1', '', '', refresh }
