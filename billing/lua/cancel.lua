--[[ billing/cancel
Purpose: Cancels up to 32 messages that are held and not sent; all is returned.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:parked     ZSET    as billing/hold
KEYS[6] {acct}:unpaid     ZSET    as billing/session
ARGV[1+] ids              message ids
Reply: as billing/hold
Errors: -1 "no such wallet", "script outdated …", "malformed batch", "malformed id"
Complexity: O(ids × log n)
Version: 1
]]
--@include open
local PARKED = KEYS[5] or ACCT .. ':parked'
--@include ids
--@include read_states
local reply, place = { '1', '', '' }, 3
for i = 1, #ids do
  local id = ids[i]
  local st = states[id]
  local answer, letter, charged, quoted, flag
  if st then
    --@include by_time
  end
  letter = st and sub(st, 1, 1) or ''
  if letter == 'h' or letter == 'u' then
    local first, outcome, facts, prices = match(st, '^(%d+)|([^|]*)|([^|]*)|(.*)$', 24)
    local back = letter == 'h' and first or '0'
    bal, held = bal + back, held - back
    if sub(st, 3, 7) == sub(conf, 72, 76) then spent = spent - back end
    seq = seq + 1
    call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'cancel\t' .. id .. '\t' .. back .. '\t-' .. back .. '\tc\t'
      .. sub(st, 2, 2) .. '\t' .. first .. '\t' .. facts)
    if letter == 'u' then call('ZREM', KEYS[6] or ACCT .. ':unpaid', id) else done[#done + 1] = id end
    st = 'c' .. sub(st, 2, 7) .. at .. first .. '|' .. outcome .. '|' .. facts .. '|' .. prices
    states[id] = st
    sets[#sets + 1], sets[#sets + 2] = id, st
    answer, flag = 'cancelled', ''
  elseif letter == '' then answer, flag = 'unknown', 'unknown'
  elseif letter == 'c' then answer, flag = 'repeat', 'repeat'
  elseif letter == 'p' then
    local reported = 'cancel'
    answer, flag = 'contradiction', 'contradiction'
    --@include flag
  else answer, flag = 'too late', 'too late' end
  --@include tell
end
--@include write_states
--@include close
reply[2], reply[3] = fmt('%d', bal), fmt('%d', seq)
return reply
