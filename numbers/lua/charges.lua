--[[ numbers/charges
Purpose: The notes of charges that are due, with what their voucher or their call is doing.
KEYS[1] {pool}           HASH  as numbers/event
KEYS[2] {pool}:charges   ZSET  as numbers/voucher
ARGV[1] limit            notes at most, 1 to 1 000
Reply: [1, count of all notes], then for each: note, µs at which it was due, "used" or "" (a voucher);
  of a call: its number while it runs, the µs at which it ended
Errors: -1 "no such pool", "script outdated …", "malformed limit"
Complexity: O(limit × log n)
Version: 1
]]
local call, sub, match = redis.call, string.sub, string.match
local POOL, CHARGES = KEYS[1], KEYS[2] or KEYS[1] .. ':charges'
local pool = call('HMGET', POOL, 'conf', 'clock', 'script_version', 'script_sha')
if not pool[1] then return { '-1', 'no such pool' } end
local old = outdated(pool[3], pool[4])
if old then return { '-1', old } end
local limit = tonumber(ARGV[1])
if not limit or limit < 1 or limit > 1000 or limit % 1 ~= 0 then return { '-1', 'malformed limit' } end
local reply = { '1', int(call('ZCARD', CHARGES)) }
local notes = call('ZRANGEBYSCORE', CHARGES, '-inf', int(now_us(pool[2])), 'WITHSCORES', 'LIMIT', 0, limit)
for i = 1, #notes, 2 do
  local note = notes[i]
  local voucher = match(note, '^v ([^ ]+) ')
  local id = match(note, '^c %d+ (.*)$') or match(note, '^d %d+ [^ ]+ (.*)$') or match(note, '^v [^ ]+ (.*)$')
  local known = id and call('HGET', POOL, 'c:' .. id) or ''
  local kind = sub(known, 1, 1)
  reply[#reply + 1] = note
  reply[#reply + 1] = int(notes[i + 1])
  reply[#reply + 1] = voucher and call('HEXISTS', POOL, 'v:' .. voucher) == 0 and 'used' or ''
  reply[#reply + 1] = kind == 'L' and sub(known, 2) or ''
  reply[#reply + 1] = kind == 'E' and sub(known, 2, 17) or ''
end
return reply
