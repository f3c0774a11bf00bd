--[[ numbers/charge
Purpose: Notes what a running call has to pay next, and forgets notes that are paid or over.
KEYS[1] {pool}           HASH  as numbers/event
KEYS[2] {pool}:numstate  HASH  as numbers/event
KEYS[3] {pool}:charges   ZSET  as numbers/voucher
ARGV[1] call_id
ARGV[2] note             "" = none
ARGV[3] offset_ms        when it is due, from the start of the call
ARGV[4+] forgotten       notes; a new one takes the place of the first, or is not kept
Reply: [1, number, "", reason]; a note was not kept, nothing was forgotten: "over" = the call does not
  run, "gone" = the first of the forgotten was not there
Errors: -1 "no such pool", "script outdated …", "malformed charge"
Complexity: O(notes × log n)
Version: 1
]]
local call, sub, match = redis.call, string.sub, string.match
local POOL, NUMSTATE, CHARGES = KEYS[1], KEYS[2] or KEYS[1] .. ':numstate', KEYS[3] or KEYS[1] .. ':charges'
local pool = call('HMGET', POOL, 'conf', 'clock', 'script_version', 'script_sha', 'c:' .. (ARGV[1] or ''))
if not pool[1] then return { '-1', '', '', 'no such pool' } end
local old = outdated(pool[3], pool[4])
if old then return { '-1', '', '', old } end
local id, note, offset = ARGV[1] or '', ARGV[2] or '', tonumber(ARGV[3])
if id == '' or #id > 128 or #note > 300 or not offset or offset < 0 or offset > 4398046511104 or offset % 1 ~= 0 then
  return { '-1', '', '', 'malformed charge' }
end
local number = pool[5] and sub(pool[5], 1, 1) == 'L' and sub(pool[5], 2) or ''
if note ~= '' then
  if number == '' then return { '1', '', '', 'over' } end
  if not call('ZSCORE', CHARGES, ARGV[4] or '') then return { '1', number, '', 'gone' } end
end
for i = 4, #ARGV do
  call('ZREM', CHARGES, ARGV[i])
  local voucher = match(ARGV[i], '^v ([^ ]+) ')
  if voucher then call('HDEL', POOL, 'v:' .. voucher) end
end
if note ~= '' then
  local state = call('HGET', NUMSTATE, number)
  local start = state and match(state, '^{"callstate":1,"regstate":%d,"at":(%d+)') or now_us(pool[2])
  call('ZADD', CHARGES, int(start + offset * 1000), note)
end
return { '1', number, '', '' }
