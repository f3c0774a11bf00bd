--[[ billing/report
Purpose: Up to 32 status reports of the gateway, in their order. Only a final one moves money; one for
  a message that is not known yet is parked until its hold comes.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:parked     ZSET    as billing/hold
ARGV[1+] reports          for each: message id; i interim, u without a readable mode, f finally failed,
  d and the mode: finally delivered
Reply: as billing/hold
Errors: -1 "no such wallet", "script outdated …", "malformed batch", "malformed report"
Complexity: O(reports × log n)
Version: 1
]]
--@include open
local PARKED = KEYS[5] or ACCT .. ':parked'
local count = #ARGV
if count == 0 or count % 2 ~= 0 or count > 64 then return { '-1', 'malformed batch' } end
local ids = {}
for i = 1, count, 2 do
  local id, word = ARGV[i], ARGV[i + 1]
  if id == '' or #id > 80 or find(id, '[^!-~]') or #word > 25
    or not (word == 'i' or word == 'u' or word == 'f' or find(word, '^d[%l%d_]+$')) then
    return { '-1', 'malformed report' }
  end
  ids[#ids + 1] = id
end
--@include read_states
local reply, place = { '1', '', '' }, 3
for i = 1, #ids do
  local id, word = ids[i], ARGV[2 * i]
  local st = states[id]
  local answer, letter, charged, quoted, flag
  if st then
    --@include by_time
    letter = st and sub(st, 1, 1) or ''
  end
  if (letter == 's' or letter == 'h') and word ~= 'i' and word ~= 'u' then
    local bar = find(st, '|', 25, true)
    local bar2 = find(st, '|', bar + 1, true)
    local bar3 = find(st, '|', bar2 + 1, true)
    quoted = sub(st, 24, bar - 1)
    local outcome, facts, prices = sub(st, bar + 1, bar2 - 1), sub(st, bar2 + 1, bar3 - 1), sub(st, bar3 + 1)
    local kind, made_on = sub(st, 2, 2), sub(st, 3, 7)
    --@include settle
    states[id] = st
    sets[#sets + 1], sets[#sets + 2], done[#done + 1] = id, st, id
    answer = letter == 't' and 'settled' or 'failed'
    reply[place + 1], reply[place + 2], reply[place + 3] = answer, letter, charged
    reply[place + 4], reply[place + 5] = quoted, flag
    place = place + 5
  else
    --@include report_other
    --@include tell
  end
end
--@include write_states
--@include close
reply[2], reply[3] = fmt('%d', bal), fmt('%d', seq)
return reply
