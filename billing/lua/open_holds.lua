--[[ billing/open_holds
Purpose: Sums up the open holds, to be compared with `held` by the audit. All of them in one step if there are not too
  many, otherwise a part from a cursor on.
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
local MOST, AT_ONCE, PLACES = 5000, 1000, 1000000000000
local first, count = whole(ARGV[1], 0, PLACES), whole(ARGV[2], 1, MOST)
if not first or not count then return checks.refusal('malformed open_holds') end
local refusal, seq, held = wallet.look(KEYS[1], 'seq', 'held')
if refusal then return refusal end

local deadlines = wallet.tag .. ':deadlines'
local ids = redis.call('ZRANGE', deadlines, string.format('%d', first), string.format('%d', first + count - 1))
local sum, wrong = 0, 0
for start = 1, #ids, AT_ONCE do
  local part = { unpack(ids, start, math.min(start + AT_ONCE - 1, #ids)) }
  local records = redis.call('HMGET', wallet.tag .. ':messages', unpack(part))
  for place, id in ipairs(part) do
    local message = messages.parse(id, records[place])
    if message and messages.OPEN[message.state] then sum = sum + message.quoted else wrong = wrong + 1 end
  end
end
return { '1', seq, held, string.format('%d', redis.call('ZCARD', deadlines)), string.format('%d', sum),
  string.format('%d', wrong) }
