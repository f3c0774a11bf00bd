--[[ numbers/events
Purpose: Up to 32 events of one pool in one call; each is decided as numbers/event would, in order.
KEYS[1] {pool}                HASH    as numbers/event
KEYS[2] {pool}:numstate       HASH    as numbers/event
KEYS[3] {pool}:idle:up        ZSET    as numbers/event
KEYS[4] {pool}:idle:near      ZSET    as numbers/event
KEYS[5] {pool}:timers         ZSET    as numbers/event
KEYS[6] {pool}:log            STREAM  as numbers/event
KEYS[7] {pool}:registrations  ZSET    as numbers/event
ARGV[1+] words                for each event: how many words follow, then those of numbers/event
Reply: for each event: how many words follow, then those of numbers/event
Errors: -1 "malformed batch" (as numbers/event, before anything is done); wait_ms is malformed here
Complexity: O(events × log n)
Version: 1
]]
--@include open
--@include machinery
local batch, place, argument = {}, 1, 1
while argument <= #ARGV do
  local words = ARGV[argument]
  if find(words, '%D') or #words > 3 or words + 0 < 1 or argument + words > #ARGV or #batch >= 32 then
    return { '-1', '', '', 'malformed batch' }
  end
  batch[#batch + 1] = { unpack(ARGV, argument + 1, argument + words) }
  argument = argument + words + 1
end
if not KEYS[2] then
  --@include rights
end
local batched, slow, replies = true, nil, {}
--@include punctual
--@include words
for _, argv in ipairs(batch) do
  local outcome, state, reason, more
  kept_1, kept_2, seq_text = nil, nil, nil
  --@include parse
  local mine = (event == 'call' or event == 'hangup' or event == 'renew') and 'c:' .. id or 'r:' .. number
  local found = call('HMGET', POOL, mine, 'w:' .. switch, 's:' .. callee, 'g:' .. area, 'a:' .. number)
  local known, who, stuck, near, alias = found[1], found[2], found[3], found[4], found[5]
  --@include stored
  --@include decide
  if kept_2 then call('HSET', POOL, kept_1, value_1, kept_2, value_2)
  elseif kept_1 then call('HSET', POOL, kept_1, value_1) end
  replies[place], replies[place + 1], replies[place + 2] = more and tostring(4 + #more) or '4', outcome, number
  replies[place + 3], replies[place + 4] = state, reason
  place = place + 5
  for i = 1, more and #more or 0 do
    replies[place] = more[i]
    place = place + 1
  end
end
--@include close
return replies
