--[[ billing/sent
Purpose: Marks up to 32 held messages as sent, just before they are handed to the gateway.
KEYS[1] {acct}            HASH    as billing/hold
KEYS[2] {acct}:messages   HASH    as billing/hold
KEYS[3] {acct}:deadlines  ZSET    as billing/hold
KEYS[4] {acct}:log        STREAM  as billing/hold
KEYS[5] {acct}:parked     ZSET    as billing/hold
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
  if letter == 'h' then
    --@include mark_sent
    answer, flag = 'sent', ''
  elseif letter == '' or letter == 'p' then answer, flag = 'unknown', 'unknown'
  elseif letter == 'c' or letter == 'u' then answer, flag = 'refused', 'refused'
  else answer, flag = 'repeat', 'repeat' end
  --@include tell
end
--@include write_states
--@include close
reply[2], reply[3] = fmt('%d', bal), fmt('%d', seq)
return reply
