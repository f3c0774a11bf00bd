--[[ numbers/charges
Purpose: Reads the charges that are due, with the state of their voucher or call.
KEYS[1] {pool}           HASH  as numbers/event
KEYS[2] {pool}:charges   ZSET  as numbers/voucher
ARGV[1] limit            notes at most, 1 to 1 000
Reply: [1, count of all notes], then for each: note, µs at which it was due, "used" or "" (a voucher);
  of a call: its number while it runs, the µs at which it ended
Errors: -1 "no such pool", "script outdated …", "malformed limit"
Complexity: O(limit × log n)
Version: 1
]]
local MOST = 1000
local limit = whole(ARGV[1], 1, MOST)
if not limit then return { '-1', 'malformed limit' } end
local refusal = pool.open(KEYS[1])
if refusal then return { '-1', refusal[4] } end
local charges = pool.tag .. ':charges'
local reply = { '1', string.format('%d', redis.call('ZCARD', charges)) }
local notes = redis.call('ZRANGEBYSCORE', charges, '-inf', pool.at, 'WITHSCORES', 'LIMIT', 0, limit)
for place = 1, #notes, 2 do
  local note, due = notes[place], notes[place + 1]
  local voucher = string.match(note, vouchers.NOTE)
  local known = ids.read(vouchers.call_of(note))
  local kind, count = known and known.kind, #reply
  reply[count + 1], reply[count + 2] = note, string.format('%d', due)
  reply[count + 3] = voucher and not index.get('v:' .. voucher) and 'used' or ''
  reply[count + 4] = kind == 'running' and known.number or ''
  reply[count + 5] = kind == 'ended' and known.at or ''
end
return reply
