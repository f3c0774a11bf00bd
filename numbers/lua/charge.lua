--[[ numbers/charge
Purpose: Notes what a running call has to pay next, and forgets notes that are paid or over.
KEYS[1] {pool}           HASH  as numbers/event
KEYS[2] {pool}:numstate  HASH  as numbers/event
KEYS[3] {pool}:charges   ZSET  as numbers/voucher
KEYS[4] {pool}:idle:up   ZSET  as numbers/event
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
local NOTE_BYTES, ID_BYTES, MOST_MS = 300, 128, 4398046511104
local id, note, offset_ms = ARGV[1] or '', ARGV[2] or '', whole(ARGV[3], 0, MOST_MS)
if id == '' or #id > ID_BYTES or #note > NOTE_BYTES or not offset_ms then return pool.refusal('malformed charge') end
local refusal = pool.open(KEYS[1], { 'c:' .. id })
if refusal then return refusal end
local charges, known = pool.tag .. ':charges', ids.read(id)
local number = known and known.kind == 'running' and known.number or ''
if note ~= '' then
  if number == '' then return { '1', '', '', 'over' } end
  if not redis.call('ZSCORE', charges, ARGV[4] or '') then return { '1', number, '', 'gone' } end
end
for place = 4, #ARGV do
  redis.call('ZREM', charges, ARGV[place])
  local voucher = string.match(ARGV[place], vouchers.NOTE)
  if voucher then index.remove('v:' .. voucher) end
end
if note ~= '' then
  local state = states.read(number)
  local start = state and state.is_busy and state.since or pool.at
  redis.call('ZADD', charges, string.format('%d', start + offset_ms * 1000), note)
end
return { '1', number, '', '' }
