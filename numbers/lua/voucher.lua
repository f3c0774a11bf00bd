--[[ numbers/voucher
Purpose: Writes a one-time voucher that lets one call of a charged pool begin or be renewed, or takes it back.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1] voucher            its name, up to 128 bytes
ARGV[2] seconds            how long it is good; 0 = take it back
ARGV[3] call_id            only for this call; "" = any
Reply: [1, "", "", ""]; taking back: reason "used" = there was none any more
Errors: -1 "no such pool", "script outdated …", "malformed voucher"
Complexity: O(1)
Version: 1
]]
--@include open
--@include machinery
local slow = machinery(now, at)
slow.sync(seq, conf)
local voucher, seconds, id = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if voucher == '' or #voucher > 128 or #id > 128 or not find(seconds, '^%d+$') or #seconds > 6 then
  return { '-1', '', '', 'malformed voucher' }
end
local reason = ''
if seconds + 0 == 0 then
  if call('HDEL', POOL, 'v:' .. voucher) == 0 then reason = 'used' end
else
  call('HSET', POOL, 'v:' .. voucher, slow.us(now + seconds * 1000000) .. id)
end
return { '1', '', '', reason }
