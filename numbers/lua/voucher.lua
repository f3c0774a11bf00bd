--[[ numbers/voucher
Purpose: Writes a one-time voucher that allows one call of a charged pool to begin or to be renewed, or takes it back.
  It is recorded among the charges until numbers/charge deletes it, used or taken back, so that a later request learns
  for certain which of the two it was.
KEYS[1] {pool}          HASH  as numbers/event
KEYS[2] {pool}:charges  ZSET  notes by the µs at which they are due: "v <voucher> <call id>" vouchers,
  "t <voucher> <call id>" those taken back; "c <interval>,<hold> <call id>", "d <interval> <hold> <call id>"
  what running calls pay next; "s <interval>,<s> <hold> <call id>" what is settled at its end
ARGV[1] voucher            its name, up to 128 printable bytes without spaces
ARGV[2] seconds            how long it is good; 0 = take it back
ARGV[3] call_id            only for this call; "" = any
Reply: [1, "", "", reason]; writing: "used" = a call has used this very voucher, "taken" = it was taken
  back: not written again; taking back: "" = it was not used and never will be, "used", "none" = there is none
Errors: -1 "no such pool", "script outdated …", "malformed voucher"
Complexity: O(log n)
Version: 1
]]
local NAME_BYTES, ID_BYTES, SECONDS_DIGITS = 128, 128, 6
local voucher, seconds, id = ARGV[1] or '', ARGV[2] or '', ARGV[3] or ''
if voucher == '' or #voucher > NAME_BYTES or string.find(voucher, '[^!-~]') or #id > ID_BYTES
  or not is_digits(seconds, SECONDS_DIGITS) then
  return pool.refusal('malformed voucher')
end
local field = 'v:' .. voucher
local refusal = pool.open(KEYS[1], { field })
if refusal then return refusal end
local charges = pool.tag .. ':charges'
local note, taken_note = 'v ' .. voucher .. ' ' .. id, 't ' .. voucher .. ' ' .. id
local is_there = index.get(field) ~= false
if not is_there and redis.call('ZSCORE', charges, note) then return { '1', '', '', 'used' } end
local is_taken = redis.call('ZSCORE', charges, taken_note) ~= false
if seconds + 0 > 0 then
  if is_taken then return { '1', '', '', 'taken' } end
  local ends = string.format('%d', pool.now + seconds * 1000000)
  redis.call('HSET', pool.tag, field, ends .. id)
  redis.call('ZADD', charges, ends, note)
  return { '1', '', '', '' }
end
if is_taken then return { '1', '', '', '' } end
if not is_there then return { '1', '', '', 'none' } end
index.remove(field)
redis.call('ZREM', charges, note)
redis.call('ZADD', charges, pool.at, taken_note)
return { '1', '', '', '' }
