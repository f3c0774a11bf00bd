--[[ billing/purge
Purpose: Deletes final messages and receipts of operations that are 7 days old and in SQL.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:operations  HASH    as billing/pay_unpaid
KEYS[4] {acct}:finals      LIST    as billing/pay_unpaid
ARGV[1] limit              at most, 1 to 1 000
Reply: [1, forgotten, more]
Errors: -1 "no such wallet", "script outdated …", "malformed limit"
Complexity: O(limit)
Full server: runs
Version: 1
]]
local MOST = 1000
local limit = whole(ARGV[1], 1, MOST)
if not limit then return checks.refusal('malformed limit') end
local refusal, conf, last = wallet.look(KEYS[1], 'conf', 'clock')
if refusal then return refusal end

local until_us = now_us(last) - settings.read(conf).keep_us
local key, messages_gone, operations_gone, gone = wallet.tag .. ':finals', {}, {}, 0
for _, item in ipairs(redis.call('LRANGE', key, 0, limit - 1)) do
  local at, what, id = string.match(item, finals.ITEM)
  if at + 0 >= until_us then break end
  local ids = what == finals.MESSAGE and messages_gone or operations_gone
  ids[#ids + 1] = id
  gone = gone + 1
end
if #messages_gone > 0 then redis.call('HDEL', wallet.tag .. ':messages', unpack(messages_gone)) end
if #operations_gone > 0 then redis.call('HDEL', wallet.tag .. ':operations', unpack(operations_gone)) end
if gone > 0 then redis.call('LTRIM', key, gone, -1) end
return { '1', string.format('%d', gone), gone == limit and '1' or '0' }
