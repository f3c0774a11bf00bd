--[[ billing/purge
Purpose: Forgets final messages and receipts of operations once they are 7 days old and in SQL.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:operations  HASH    as billing/pay_unpaid
KEYS[4] {acct}:finals      LIST    as billing/pay_unpaid
ARGV[1] limit              at most, 1 to 1 000
Reply: [1, forgotten, more]
Errors: -1 "no such wallet", "script outdated …", "malformed limit"
Complexity: O(limit)
Version: 1
]]
--@include look
local call, sub = redis.call, string.sub
local MESSAGES, OPERATIONS = KEYS[2] or KEYS[1] .. ':messages', KEYS[3] or KEYS[1] .. ':operations'
local FINALS = KEYS[4] or KEYS[1] .. ':finals'
local limit = tonumber(ARGV[1])
if not limit or limit < 1 or limit > 1000 or limit % 1 ~= 0 then return { '-1', 'malformed limit' } end
local acct = call('HMGET', KEYS[1], 'conf', 'clock')
local until_us = now_us(acct[2]) - sub(acct[1], 49, 55) * 1000000
local messages, operations, old = {}, {}, 0
for _, item in ipairs(call('LRANGE', FINALS, 0, limit - 1)) do
  if sub(item, 1, 16) + 0 >= until_us then break end
  local list = sub(item, 17, 17) == 'm' and messages or operations
  list[#list + 1] = sub(item, 18)
  old = old + 1
end
if messages[1] then call('HDEL', MESSAGES, unpack(messages)) end
if operations[1] then call('HDEL', OPERATIONS, unpack(operations)) end
if old > 0 then call('LTRIM', FINALS, old, -1) end
return { '1', int(old), old == limit and '1' or '0' }
