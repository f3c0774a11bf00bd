--[[ billing/pay_unpaid
Purpose: Charges unpaid session messages, oldest first, as far as the balance allows.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:log         STREAM  as billing/hold
KEYS[5] {acct}:unpaid      ZSET    as billing/session
KEYS[6] {acct}:operations  HASH    operation id → receipt
KEYS[7] {acct}:finals      LIST    what is purged after 7 days: "<µs>m<message>", "<µs>o<operation>"
ARGV[1] operation_id       a repetition returns the same IDs
ARGV[2] limit              messages at most, 1 to 500
Reply: [1, more], then the ids that are paid now
Errors: -1 "no such wallet", "script outdated …", "malformed pay_unpaid"
Complexity: O(limit × log n); where money is short, up to 500 holds that are due besides
Version: 1
]]
local MOST = 500
local operation, limit = ARGV[1] or '', whole(ARGV[2], 1, MOST)
if not checks.is_id(operation) or not limit then return checks.refusal('malformed pay_unpaid') end
local refusal = wallet.open(KEYS[1])
if refusal then return refusal end

local reply = { '1', '0' }
local receipt = receipts.read(operation)
if receipt then
  for id in string.gmatch(string.match(receipt, '^pay_unpaid\t(.*)$') or '', '[^ ]+') do reply[#reply + 1] = id end
  return reply
end
if wallet.conf.status ~= 'open' then return reply end

local key = wallet.tag .. ':unpaid'
local oldest = string.format('%d', sessions.oldest_us()) -- the sweep ends older ones
local ids = redis.call('ZRANGEBYSCORE', key, oldest, '+inf', 'LIMIT', 0, limit)
local paid = {}
if #ids > 0 then messages.read(ids) end
for _, id in ipairs(ids) do
  local message = wallet.known[id]
  local amount = message.quoted + 0
  if holds.is_short(amount) then holds.make_room() end
  if not holds.is_short(amount) then
    sessions.charge(message, sessions.mode(message), amount)
    paid[#paid + 1], reply[#reply + 1] = id, id
  end
end
if #paid > 0 then
  redis.call('ZREM', key, unpack(paid))
  receipts.write(operation, 'pay_unpaid\t' .. table.concat(paid, ' '))
  finals.add_receipt(wallet.at, operation)
  if #paid == limit then reply[2] = '1' end
end
wallet.close()
return reply
