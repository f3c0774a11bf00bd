--[[ billing/pay_unpaid
Purpose: Tries unpaid session messages again, oldest first, as far as the balance goes.
KEYS[1] {acct}             HASH    as billing/hold
KEYS[2] {acct}:messages    HASH    as billing/hold
KEYS[3] {acct}:deadlines   ZSET    as billing/hold
KEYS[4] {acct}:log         STREAM  as billing/hold
KEYS[5] {acct}:unpaid      ZSET    as billing/session
KEYS[6] {acct}:operations  HASH    operation id → receipt
KEYS[7] {acct}:finals      LIST    what is purged after 7 days: "<µs>m<message>", "<µs>o<operation>"
ARGV[1] operation_id       a repetition answers with the same ids
ARGV[2] limit              messages at most, 1 to 500
Reply: [1, more], then the ids that are paid now
Errors: -1 "no such wallet", "script outdated …", "malformed pay_unpaid"
Complexity: O(limit × log n); where money is short, up to 500 holds that are due besides
Version: 1
]]
--@include open
local UNPAID, OPERATIONS = KEYS[5] or ACCT .. ':unpaid', KEYS[6] or ACCT .. ':operations'
local operation, batch = ARGV[1] or '', tonumber(ARGV[2])
if operation == '' or #operation > 80 or find(operation, '[^!-~]') or not batch or batch < 1 or batch > 500
  or batch % 1 ~= 0 then
  return { '-1', 'malformed pay_unpaid' }
end
local reply = { '1', '0' }
local receipt = call('HGET', OPERATIONS, operation)
if receipt then
  for word in string.gmatch(match(receipt, '^pay_unpaid\t(.*)$') or '', '[^ ]+') do reply[#reply + 1] = word end
  return reply
end
if sub(conf, 1, 1) ~= 'o' then return reply end
local limit, day = sub(conf, 2, 17) + 0, sub(conf, 72, 76)
local oldest = now - sub(conf, 42, 48) * 1000000 - (lags and lags[3] or 0) -- the sweep ends older ones
local ids = call('ZRANGEBYSCORE', UNPAID, fmt('%d', oldest), '+inf', 'LIMIT', 0, batch)
local sets, looked = {}, false
for _, id in ipairs(ids) do
  local st = call('HGET', MESSAGES, id)
  local quoted, facts, prices = match(st, '^(%d+)|[^|]*|([^|]*)|(.*)$', 24)
  local amount, mode = quoted + 0, match(prices, '^,([%l%d_]+)=')
  if not looked and (amount > bal or limit > 0 and spent + amount > limit) then
    looked = true
    --@include end_due_now
  end
  if amount <= bal and not (limit > 0 and spent + amount > limit) then
    bal, spent, seq = bal - amount, spent + amount, seq + 1
    call('XADD', LOG, fmt('%d-0', seq), 'at', at, 'e', 'session\t' .. id .. '\t-' .. quoted .. '\t0\tt\ts\t' .. quoted
      .. '\t' .. facts .. '\t' .. mode .. '\t' .. quoted)
    sets[#sets + 1] = id
    sets[#sets + 1] = 'ts' .. day .. at .. quoted .. '|' .. mode .. '=' .. quoted .. '!unpai:' .. mode .. '|' .. facts
      .. '|' .. prices
    reply[#reply + 1] = id
  end
end
if #reply > 2 then
  call('HSET', MESSAGES, unpack(sets))
  call('ZREM', UNPAID, unpack(reply, 3))
  call('HSET', OPERATIONS, operation, 'pay_unpaid\t' .. table.concat(reply, ' ', 3))
  call('RPUSH', KEYS[7] or ACCT .. ':finals', at .. 'o' .. operation)
  if #reply - 2 == batch then reply[2] = '1' end
end
--@include close
return reply
