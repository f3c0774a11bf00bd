--[[ numbers/charge
Purpose: Records what a running call must pay next, and deletes records that are paid or over.
KEYS[1] {pool}           HASH  as numbers/event
KEYS[2] {pool}:numstate  HASH  as numbers/event
KEYS[3] {pool}:charges   ZSET  as numbers/voucher
KEYS[4] {pool}:idle:up   ZSET  as numbers/event
ARGV[1] call_id
ARGV[2] notes            one a line; "" = none
ARGV[3] offsets          ms from the start of the call at which each is due, with a space between
ARGV[4+] forgotten       notes; new ones take the place of the first, or are not kept
Reply: [1, number, "", reason]; no note was kept, nothing was forgotten: "over" = the call does not
  run, "gone" = the first of the forgotten was not there
Errors: -1 "no such pool", "script outdated …", "malformed charge"
Complexity: O(notes × log n)
Version: 1
]]
local NOTE_BYTES, ID_BYTES, MOST_MS, MOST_NOTES = 300, 128, 4398046511104, 4
local id, new, offsets = ARGV[1] or '', {}, {}
for note in string.gmatch(ARGV[2] or '', '[^\n]+') do new[#new + 1] = note end
for word in string.gmatch(ARGV[3] or '', '[^ ]+') do offsets[#offsets + 1] = whole(word, 0, MOST_MS) or -1 end

-- Whether there is an offset for each note, and none is too long.
local function is_right()
  if id == '' or #id > ID_BYTES or #new > MOST_NOTES or #offsets < 1 or #offsets < #new then return false end
  for place, note in ipairs(new) do
    if #note > NOTE_BYTES or offsets[place] < 0 then return false end
  end
  return offsets[1] >= 0
end

if not is_right() then return pool.refusal('malformed charge') end
local refusal = pool.open(KEYS[1], { 'c:' .. id })
if refusal then return refusal end
local charges, known = pool.tag .. ':charges', ids.read(id)
local number = known and known.kind == 'running' and known.number or ''
if new[1] then
  if number == '' then return { '1', '', '', 'over' } end
  if not redis.call('ZSCORE', charges, ARGV[4] or '') then return { '1', number, '', 'gone' } end
end
for place = 4, #ARGV do
  redis.call('ZREM', charges, ARGV[place])
  local voucher = string.match(ARGV[place], vouchers.NOTE)
  if voucher then index.remove('v:' .. voucher) end
end
if new[1] then
  local state = states.read(number)
  local start = state and state.is_busy and state.since or pool.at
  for place, note in ipairs(new) do
    redis.call('ZADD', charges, string.format('%d', start + offsets[place] * 1000), note)
  end
end
return { '1', number, '', '' }
