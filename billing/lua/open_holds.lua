--[[ billing/open_holds
Purpose: The sum of open holds beside `held`, for the audit: all of them in one step when they are not
  too many, else a part from a place on.
KEYS[1] {acct}            HASH  as billing/hold
KEYS[2] {acct}:messages   HASH  as billing/hold
KEYS[3] {acct}:deadlines  ZSET  as billing/hold
ARGV[1] first             place among the open holds, 0 = the soonest deadline
ARGV[2] count             at most, 1 to 5 000
Reply: [1, seq, held, open holds, sum of this part, holds of this part that have no open state]
Errors: -1 "no such wallet", "script outdated …", "malformed open_holds"
Complexity: O(log n + count)
Version: 1
]]
--@include look
local call = redis.call
local first, count = tonumber(ARGV[1]), tonumber(ARGV[2])
if not first or first < 0 or first % 1 ~= 0 or not count or count < 1 or count > 5000 or count % 1 ~= 0 then
  return { '-1', 'malformed open_holds' }
end
local acct = call('HMGET', KEYS[1], 'seq', 'held', 'conf')
local DEADLINES, MESSAGES = KEYS[3] or KEYS[1] .. ':deadlines', KEYS[2] or KEYS[1] .. ':messages'
local ids = call('ZRANGE', DEADLINES, int(first), int(first + count - 1))
local sum, wrong = 0, 0
for from = 1, #ids, 1000 do
  local states = call('HMGET', MESSAGES, unpack(ids, from, math.min(from + 999, #ids)))
  for i = 1, math.min(1000, #ids - from + 1) do
    local quoted = states[i] and string.match(states[i], '^[hs].....................%d(%d+)|')
    if quoted then sum = sum + quoted else wrong = wrong + 1 end
  end
end
return { '1', acct[1], acct[2], int(call('ZCARD', DEADLINES)), int(sum), int(wrong) }
