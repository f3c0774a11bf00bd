--[[ numbers/voucher
Purpose: Writes a one-time voucher that lets one call of a charged pool begin or be renewed, or takes it
  back. It is noted among the charges until numbers/charge forgets it, used or taken back, so that whoever
  asks later learns for sure which of the two it was.
KEYS[1] {pool}          HASH  as numbers/event
KEYS[2] {pool}:charges  ZSET  notes by the µs at which they are due: "v <voucher> <call id>" vouchers,
  "t <voucher> <call id>" those taken back; "c <interval> <call id>", "d <interval> <hold> <call id>" what
  running calls pay next
ARGV[1] voucher            its name, up to 128 printable bytes without spaces
ARGV[2] seconds            how long it is good; 0 = take it back
ARGV[3] call_id            only for this call; "" = any
Reply: [1, "", "", reason]; writing: "used" = a call has used this very voucher, "taken" = it was taken
  back: not written again; taking back: "" = it was not used and never will be, "used", "none" = there is none
Errors: -1 "no such pool", "script outdated …", "malformed voucher"
Complexity: O(log n)
Version: 1
]]
local call, find = redis.call, string.find
local POOL, CHARGES = KEYS[1], KEYS[2] or KEYS[1] .. ':charges'
local pool = call('HMGET', POOL, 'conf', 'clock', 'script_version', 'script_sha')
if not pool[1] then return { '-1', '', '', 'no such pool' } end
local old = outdated(pool[3], pool[4])
if old then return { '-1', '', '', old } end
local voucher, seconds, id = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if voucher == '' or #voucher > 128 or find(voucher, '[^!-~]') or #id > 128 or not find(seconds, '^%d+$')
  or #seconds > 6 then
  return { '-1', '', '', 'malformed voucher' }
end
local note, taken = 'v ' .. voucher .. ' ' .. id, 't ' .. voucher .. ' ' .. id
local there = call('HEXISTS', POOL, 'v:' .. voucher) == 1
if not there and call('ZSCORE', CHARGES, note) then return { '1', '', '', 'used' } end
local gone = call('ZSCORE', CHARGES, taken)
local now = now_us(pool[2])
if seconds + 0 == 0 then
  if gone then return { '1', '', '', '' } end
  if not there then return { '1', '', '', 'none' } end
  call('HDEL', POOL, 'v:' .. voucher)
  call('ZREM', CHARGES, note)
  call('ZADD', CHARGES, int(now), taken)
  return { '1', '', '', '' }
end
if gone then return { '1', '', '', 'taken' } end
local till = int(now + seconds * 1000000)
call('HSET', POOL, 'v:' .. voucher, till .. id)
call('ZADD', CHARGES, till, note)
return { '1', '', '', '' }
